// The Stripe adapter: hosted payment pages for cards, debits and bank transfers. No payouts and no tax documents.

import type { ProviderAccount } from '../accounts.ts';
import { addressOf, type ConnectionOptions } from '../definition.ts';
import type { ConnectedProvider } from '../provider.ts';
import { inspectAccount, readBalances } from './account.ts';
import { createCharges } from './charges.ts';
import { createStripeCaller } from './client.ts';
import { hasRecentSignature, isSigned, readEvent } from './events.ts';
import { listCharges } from './listing.ts';
import { createRefunds } from './refunds.ts';
import { readSession, referenceOf } from './sessions.ts';
import { listStatement } from './statement.ts';
import { ensureWebhook, removeWebhook } from './webhook.ts';

export function createStripeProvider(
  account: ProviderAccount,
  { addresses }: ConnectionOptions,
): ConnectedProvider {
  const until = createStripeCaller(account.key, addressOf(addresses, 'STRIPE_URL'));
  return {
    name: 'stripe',
    charges: createCharges(until),
    refunds: createRefunds(until),

    inspectAccount: (signal) => inspectAccount(until(signal)),
    ensureWebhook: (webhook, signal) => ensureWebhook(until(signal), webhook, account.webhookSecret),
    removeWebhook: (webhook, signal) => removeWebhook(until(signal), webhook),

    mayBeFromProvider: hasRecentSignature,
    verifyDelivery: (headers, body) => isSigned(headers, body, account.webhookSecret),
    readEvents: (_headers, body) => [readEvent(body)],

    async resolve(providerReference, signal) {
      const session = await readSession(until(signal), providerReference);
      return session && referenceOf(session);
    },

    async listOrders(kind, since, page, signal) {
      return kind === 'charge'
        ? await listCharges(until(signal), since, page)
        : { items: [], next: undefined };
    },
    listStatement: (since, page, signal) => listStatement(until(signal), since, page),
    readBalances: (signal) => readBalances(until(signal)),
  };
}
