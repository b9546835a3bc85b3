// Runs under Deno: the Stripe adapter on the runtime of the edge functions. The only argument is its input as JSON.

import process from 'node:process';
import { chargesOf } from '../../../shared/payments/providers/provider.ts';
import { createStripeProvider } from '../../../shared/payments/providers/stripe/provider.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';

const { key, url, secret, order, signature, raw } = JSON.parse(process.argv[2] ?? '{}');
const none = { ASAAS_URL: '', WISE_URL: '', WISE_VERSION: '', WISE_PUBLIC_KEY: '' };
const account = {
  id: 'pacc_1',
  tenantId: 't',
  provider: 'stripe',
  webhookSecret: secret,
  settings: {},
} as const;
const options = { addresses: { ...none, STRIPE_URL: url }, log: silentLogger };
const provider = createStripeProvider({ ...account, key }, options);
const { signal } = new AbortController();
const headers = new Headers({ 'stripe-signature': signature });
const encode = (text: string) => new TextEncoder().encode(text);

const times = { createdAt: new Date(order.createdAt), expiresAt: new Date(order.expiresAt) };
const report = await chargesOf(provider).read({ ...order, ...times }, signal);
const refused = await createStripeProvider({ ...account, key: 'sk_test_0' }, options)
  .readBalances(signal)
  .catch((error: Error) => error.name);
console.log(
  JSON.stringify({
    status: report?.state.status,
    refused,
    proved: [
      await provider.verifyDelivery(headers, encode(raw)),
      await provider.verifyDelivery(headers, encode(`${raw} `)),
    ],
  }),
);
