// The Asaas adapter: charges, refunds, PIX payouts and NFS-e in Brazil. Asaas has no idempotency keys, so each call sends an order at most
// once, and existing orders are found by our reference.

import type { ProviderAccount } from '../accounts.ts';
import { addressOf, type ConnectionOptions } from '../definition.ts';
import type { ConnectedProvider } from '../provider.ts';
import { createAccount } from './account.ts';
import { createCharges } from './charges.ts';
import { createAsaasClient } from './client.ts';
import { createCustomers } from './customers.ts';
import { fetchFile } from './files.ts';
import { readFiscalCodes } from './fiscal-codes.ts';
import { listOrders } from './listed-orders.ts';
import { createPayouts } from './payouts.ts';
import { createRefunds } from './refunds.ts';
import { fiscalSettings } from './settings.ts';
import { listStatement } from './statement.ts';
import { createTaxDocuments } from './tax-documents.ts';
import { carriesToken, createWebhooks, readDelivery } from './webhooks.ts';

export function createAsaasProvider(account: ProviderAccount, options: ConnectionOptions): ConnectedProvider {
  const baseUrl = addressOf(options.addresses, 'ASAAS_URL');
  const log = options.log.with({ account_id: account.id });
  const client = createAsaasClient(baseUrl, account.key);
  const customers = createCustomers(client, account.tenantId);
  const ownAccount = createAccount(client, log);
  return {
    name: 'asaas',
    charges: createCharges(client, customers, log),
    refunds: createRefunds(client, ownAccount.readBalances),
    payouts: createPayouts(client),
    taxDocuments: createTaxDocuments(client, customers, () => fiscalSettings(account.settings), log),
    ...ownAccount,
    ...createWebhooks(client, log),
    fetchFile: (url, signal) => fetchFile(baseUrl, url, signal),
    mayBeFromProvider: (headers) => carriesToken(headers, account.webhookSecret),
    verifyDelivery: async (headers) => carriesToken(headers, account.webhookSecret),
    readFiscalCodes: (kind, signal) => readFiscalCodes(client, kind, signal),
    readEvents: (_headers, body) => [readDelivery(body)],
    listOrders: (kind, since, page, signal) => listOrders(client, log, kind, since, page, signal),
    listStatement: (since, page, signal) => listStatement(client, since, page, signal),
  };
}
