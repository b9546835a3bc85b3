// Reads a client's id and secret from the body or the Authorization header of a token request.
import { type ClientCredentials, invalidClient } from '../../shared/platform/access/oauth-clients.ts';
import { invalidRequest, type TokenParameters } from './parameters.ts';

const BASIC = /^Basic +([\w+/]+={0,2})$/i;

/**
 * Returns undefined if the request has no credentials. Throws `invalid_request` if it has them in both places, and
 * `invalid_client` for a scheme other than Basic.
 */
export function readCredentials(
  header: string | null,
  { client_id: clientId, client_secret: clientSecret }: TokenParameters,
): ClientCredentials | undefined {
  if (header === null) return clientId && clientSecret ? { clientId, clientSecret } : undefined;
  if (clientSecret) {
    throw invalidRequest('Send the credentials in the body or in the Authorization header, not in both.');
  }
  const credentials = parseBasic(header);
  if (!credentials) throw invalidClient('malformed');
  if (clientId && clientId !== credentials.clientId) {
    throw invalidRequest('The client_id in the body differs from the one in the Authorization header.');
  }
  return credentials;
}

/** HTTP Basic as in RFC 6749, section 2.3.1: both parts are form-encoded before they are joined. */
function parseBasic(header: string): ClientCredentials | undefined {
  try {
    const bytes = Uint8Array.from(atob(BASIC.exec(header)?.[1] ?? ''), (char) => char.charCodeAt(0));
    const [, id, secret] =
      /^([^:]*):(.*)$/s.exec(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? [];
    return id && secret ? { clientId: formDecode(id), clientSecret: formDecode(secret) } : undefined;
  } catch {
    return undefined;
  }
}

const formDecode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
