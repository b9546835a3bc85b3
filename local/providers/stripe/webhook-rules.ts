/** The rules for signing, delivering and retrying events. */
import { createHmac } from 'node:crypto';
import type { WebhookRules } from '../old/webhook-queue.ts';
import type { Account } from './state.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Retries span 3 days with a live key; three retries over some hours with a test key. The exact delays are not published. */
const LIVE_WAITS_MS = [
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  12 * HOUR_MS,
  12 * HOUR_MS,
  12 * HOUR_MS,
  12 * HOUR_MS,
];
const TEST_WAITS_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];
const KEPT_MS = 3 * 24 * HOUR_MS;
const TIMEOUT_MS = 10 * SECOND_MS;
const OLD_S = 10 * 60;

const signatureOf = (secret: string, timestamp: number, body: string): string =>
  `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

export function webhookRules(accounts: () => Account[]): WebhookRules {
  const ownerOf = (id: string): Account | undefined =>
    accounts().find(({ endpoints }) => endpoints.some((endpoint) => endpoint.id === id));

  return {
    timeoutMs: TIMEOUT_MS,
    keepMs: KEPT_MS,
    endpoint(id) {
      const known = ownerOf(id)?.endpoints.find((endpoint) => endpoint.id === id);
      return known && { id, url: known.url, sequential: false, paused: known.status === 'disabled' };
    },
    headers({ id }, { event }) {
      const owner = ownerOf(id);
      const how = owner?.options.signatures;
      const secret = how === 'wrong' ? 'whsec_wrong' : (owner?.secrets[id] ?? '');
      // The receiver uses the real clock, not the emulator's.
      const timestamp = Math.floor(Date.now() / 1000) - (how === 'old' ? OLD_S : 0);
      return {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        accept: '*/*; q=0.5, application/xml',
        'cache-control': 'no-cache',
        'stripe-signature': signatureOf(secret, timestamp, event.body),
      };
    },
    isDelivered: (status) => status >= 200 && status < 300,
    failed({ id }, { attempts }) {
      const waits = ownerOf(id)?.livemode ? LIVE_WAITS_MS : TEST_WAITS_MS;
      const retryInMs = waits[attempts.length - 1];
      return retryInMs === undefined ? 'drop' : { retryInMs };
    },
  };
}
