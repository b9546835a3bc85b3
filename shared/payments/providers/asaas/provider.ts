// The Asaas adapter: charges, refunds, PIX payouts and NFS-e in Brazil. Asaas has no idempotency keys, so each call sends an order at most
// once, and existing orders are found by our reference.

import type { ProviderAccount } from '../accounts.ts';
import { addressOf, type ConnectionOptions } from '../definition.ts';
import type { ConnectedProvider } from '../provider.ts';
import { inspectAccount, readBalances } from './account.ts';
import { createCharges } from './charges.ts';
import { createAsaasClients } from './client.ts';
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
  const until = createAsaasClients(baseUrl, account.key);
  const ensureCustomer = createCustomers(account.tenantId);
  return {
    name: 'asaas',
    charges: createCharges(until, ensureCustomer, log),
    refunds: createRefunds(until),
    payouts: createPayouts(until),
    taxDocuments: createTaxDocuments(until, ensureCustomer, () => fiscalSettings(account.settings), log),
    inspectAccount: (signal) => inspectAccount(until(signal), log),
    readBalances: (signal) => readBalances(until(signal)),
    ...createWebhooks(until, log),
    fetchFile: (url, signal) => fetchFile(baseUrl, url, signal),
    mayBeFromProvider: (headers) => carriesToken(headers, account.webhookSecret),
    verifyDelivery: async (headers) => carriesToken(headers, account.webhookSecret),
    readFiscalCodes: (kind, signal) => readFiscalCodes(until(signal), kind),
    readEvents: (_headers, body) => [readDelivery(body)],
    listOrders: (kind, since, page, signal) => listOrders(until(signal), log, kind, since, page),
    listStatement: (since, page, signal) => listStatement(until(signal), since, page),
  };
}
