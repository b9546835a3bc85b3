// Verifies and parses Wise's webhook deliveries.

import { parseJson } from '../../../platform/vendor-json.ts';
import type { EventSubject, ProviderEvent } from '../accounts.ts';
import { eventSchema } from './wire.ts';

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/** Bytes of an RSA signature with the smallest key in use, 1024 bits. */
const MIN_SIGNATURE_BYTES = 128;

const signatureOf = (headers: Headers) => bytesOf(headers.get('x-signature-sha256') ?? '');

/** Whether there is a signature of a plausible length. */
export const hasSignature = (headers: Headers): boolean =>
  (signatureOf(headers)?.length ?? 0) >= MIN_SIGNATURE_BYTES;

/** Creates a function that verifies a delivery's signature over its raw body. `publicKey` is Wise's public key (PEM). */
export function createSignatureVerifier(
  publicKey: string,
): (headers: Headers, body: Uint8Array) => Promise<boolean> {
  let key: Promise<CryptoKey> | undefined;
  return async (headers, body) => {
    const signature = signatureOf(headers);
    if (!signature?.length) return false;
    key ??= importKey(publicKey);
    return await crypto.subtle.verify(ALGORITHM.name, await key, signature, new Uint8Array(body));
  };
}

async function importKey(pem: string): Promise<CryptoKey> {
  // Single-line settings often contain line breaks as `\n`.
  const bytes = bytesOf(pem.replace(/-----[A-Z ]+-----|\\n|\s/g, ''));
  if (!bytes?.length) throw new Error('WISE_PUBLIC_KEY must be a public key (PEM).');
  return await crypto.subtle.importKey('spki', bytes, ALGORITHM, false, ['verify']);
}

function bytesOf(base64: string) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Throws if the body is not an event. Returns no events for Wise's test notifications. */
export function readEvents(profileId: string, headers: Headers, body: Uint8Array): ProviderEvent[] {
  const event = eventSchema.parse(parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  if (headers.get('x-test-notification')?.toLowerCase() === 'true') return [];
  const { event_type: type, sent_at: sentAt, data } = event;
  const { resource } = data;
  const id = data.transfer_id ?? resource?.id ?? undefined;
  const state = type === 'transfers#state-change' ? data.current_state : undefined;
  const change = state ?? [type, data.failure_reason_code].filter(Boolean).join(':');
  return [
    {
      // Two subscriptions deliver the same change with different ids, so the change itself is the id.
      eventId: [id ?? resource?.type ?? '', change, data.occurred_at ?? sentAt ?? ''].join(':'),
      type,
      about: subjectOf(type, id, data.profile_id ?? resource?.profile_id ?? undefined, profileId),
    },
  ];
}

function subjectOf(
  type: string,
  id: string | undefined,
  eventProfileId: string | undefined,
  profileId: string,
): EventSubject | undefined {
  if (eventProfileId !== undefined && eventProfileId !== profileId) return undefined;
  if (type.startsWith('transfers#'))
    return id === undefined ? undefined : { kind: 'payout', reference: undefined, providerReference: id };
  return type.startsWith('balances#') ? { kind: 'account' } : undefined;
}
