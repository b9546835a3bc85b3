// Wise: international payouts. Transfers are funded from the account's balance if Wise allows it, otherwise manually.

import type { ListedOrder, Page, ProviderAccount } from '../accounts.ts';
import { addressOf, type ConnectionOptions } from '../definition.ts';
import { ProviderRejected } from '../errors.ts';
import type { PayoutOrder, PayoutReport } from '../payout-port.ts';
import type { ConnectedProvider } from '../provider.ts';
import { inspectAccount } from './account.ts';
import { createWiseClient, type WiseClient } from './client.ts';
import { createSignatureVerifier, hasSignature, readEvents } from './events.ts';
import { fundTransfer } from './funding.ts';
import type { Payee } from './recipient-fields.ts';
import { reportOf } from './reports.ts';
import { listStatement, readBalances } from './statement.ts';
import {
  afterTransferExists,
  cancelTransfer,
  createTransfer,
  findTransfer,
  listTransfers,
  readTransfer,
} from './transfers.ts';
import { ensureWebhook, removeWebhook } from './webhooks.ts';
import type { Transfer } from './wire.ts';

const DAY_MS = 24 * 60 * 60_000;
/** A bank may return money weeks later, and Wise filters transfers only by creation time. */
const CHANGES_FOR_MS = 45 * DAY_MS;
/** Each transfer on a page needs up to three more calls. */
const PAGE_SIZE = 25;
/** Transfers read concurrently. */
const CONCURRENCY = 3;

export function createWiseProvider(account: ProviderAccount, options: ConnectionOptions): ConnectedProvider {
  const { profileId, until } = createWiseClient(account, options);
  return {
    name: 'wise',
    payouts: {
      // Wise returns the same transfer for the same `customerTransactionId`.
      resendPolicy: 'at_once',
      create: (order, signal) => createPayout(until(signal), order),
      async find(order, signal) {
        const wise = until(signal);
        const at = new Date();
        const transfer = await findTransfer(wise, order);
        return transfer && (await reportOf(wise, { transfer, at }));
      },
      async cancel(order, signal) {
        const wise = until(signal);
        const transfer = await findTransfer(wise, order);
        return transfer === undefined || (await cancelTransfer(wise, transfer));
      },
    },

    inspectAccount: (signal) => inspectAccount(until(signal)),
    ensureWebhook: (webhook, signal) => ensureWebhook(until(signal), webhook),
    removeWebhook: (webhook, signal) => removeWebhook(until(signal), webhook),
    mayBeFromProvider: hasSignature,
    verifyDelivery: createSignatureVerifier(addressOf(options.addresses, 'WISE_PUBLIC_KEY')),
    readEvents: (headers, body) => readEvents(profileId, headers, body),

    async listOrders(kind, since, page, signal) {
      return kind === 'payout'
        ? await listPayouts(until(signal), since, page)
        : { items: [], next: undefined };
    },
    listStatement: (since, page, signal) => listStatement(until(signal), since, page),
    readBalances: (signal) => readBalances(until(signal)),
  };
}

async function createPayout(wise: WiseClient, order: PayoutOrder): Promise<PayoutReport> {
  const { bank_account: account, ...person } = order.beneficiary;
  if (account.type !== 'bank_transfer')
    throw new ProviderRejected('Wise does not pay to PIX keys. Use a bank account of type bank_transfer.');
  const payee: Payee = { ...person, bank_account: account };
  const known = order.providerReference;
  const transfer =
    (known !== undefined && (await readTransfer(wise, known))) || (await createTransfer(wise, order, payee));
  return await afterTransferExists(async () => {
    if (transfer.status === 'incoming_payment_waiting') await fundTransfer(wise, transfer.id);
    const at = new Date();
    const funded = (await readTransfer(wise, transfer.id)) ?? transfer;
    return await reportOf(wise, { transfer: funded, at });
  });
}

async function listPayouts(
  wise: WiseClient,
  since: Date,
  page: string | undefined,
): Promise<Page<ListedOrder>> {
  const offset = page === undefined ? 0 : Number(page);
  const at = new Date();
  const transfers = await listTransfers(wise, {
    createdDateStart: new Date(since.getTime() - CHANGES_FOR_MS).toISOString(),
    limit: String(PAGE_SIZE),
    offset: String(offset),
  });
  const items: ListedOrder[] = [];
  for (let first = 0; first < transfers.length; first += CONCURRENCY)
    items.push(
      ...(await Promise.all(
        transfers.slice(first, first + CONCURRENCY).map((transfer) => listed(wise, { transfer, at })),
      )),
    );
  return { items, next: transfers.length < PAGE_SIZE ? undefined : String(offset + PAGE_SIZE) };
}

/** Wise stores only a digest of our id, so a listed order is identified by Wise's id. */
async function listed(wise: WiseClient, found: { transfer: Transfer; at: Date }): Promise<ListedOrder> {
  return {
    reference: undefined,
    providerReference: found.transfer.id,
    report: await reportOf(wise, found),
  };
}
