/** Strong customer authentication (SCA): the rejection contains a one-time token, which the client returns signed. */
import { randomUUID, verify } from 'node:crypto';
import { forbidden } from './errors.ts';
import type { WiseContext } from './requests.ts';
import type { WiseServices } from './services.ts';

const TOKEN_MS = 5 * 60_000;
const SESSION_MS = 5 * 60_000;

/** @param risk low-risk requests need no new proof for five minutes after the last one */
export function requireSca(c: WiseContext, services: WiseServices, risk: 'low' | 'high'): void {
  const { options, sca } = c.get('account');
  if (options.sca === 'off') return;
  if (risk === 'low' && services.now() < sca.sessionUntilMs) return;
  const token = c.req.header('x-2fa-approval');
  const signature = c.req.header('x-signature');
  const known = sca.tokens.find((candidate) => candidate.token === token);
  sca.tokens = sca.tokens.filter((one) => one !== known && one.expiresAtMs > services.now());
  const isProved =
    options.sca === 'sign' &&
    sca.publicKey !== null &&
    known !== undefined &&
    known.expiresAtMs > services.now() &&
    signature !== undefined &&
    verify('sha256', Buffer.from(known.token), sca.publicKey, Buffer.from(signature, 'base64'));
  if (isProved) {
    sca.sessionUntilMs = services.now() + SESSION_MS;
    c.header('x-2fa-approval-result', 'APPROVED');
    return;
  }
  const fresh = { token: randomUUID(), expiresAtMs: services.now() + TOKEN_MS };
  sca.tokens.push(fresh);
  throw forbidden({ 'x-2fa-approval-result': 'REJECTED', 'x-2fa-approval': fresh.token });
}
