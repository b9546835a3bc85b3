// Parses the Authorization header of activity sync and payments.

export type AuthFailure =
  | 'missing'
  | 'malformed'
  | 'unknown_key'
  | 'wrong_environment'
  | 'revoked'
  | 'expired'
  | 'stale_timestamp'
  | 'bad_signature'
  | 'address_not_allowed';

export interface Credentials {
  apiKey: string;
  /** Absent for `Bearer`. */
  signature?: { timestamp: string; value: string };
}

const SIGNED = /^SVC-SIGN-V1 ([^:\s]+):(\d{1,12}):([^:\s]*)$/;
const BEARER = /^Bearer +(\S+)$/i;

/** Returns the credentials, or the reason if the header is missing or malformed. */
export function parseAuthorization(
  header: string | undefined,
  allowBearer: boolean,
): Credentials | AuthFailure {
  if (!header) return 'missing';
  const [, apiKey = '', timestamp = '', value = ''] = SIGNED.exec(header) ?? [];
  if (apiKey) return { apiKey, signature: { timestamp, value } };
  const bearer = allowBearer ? BEARER.exec(header)?.[1] : undefined;
  return bearer ? { apiKey: bearer } : 'malformed';
}
