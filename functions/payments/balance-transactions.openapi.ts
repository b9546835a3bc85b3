// OpenAPI descriptions of the ledger.
import { z } from 'zod';
import { balanceResponse, ledgerEntryResponse } from '../../shared/payments/ledger/schema.ts';
import { entryTypes } from '../../shared/payments/ledger/serialize.ts';
import { providerNames } from '../../shared/payments/providers/names.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import type { balanceTransactionEndpoints } from './balance-transactions.ts';
import { get, idParameter, list, tagged } from './openapi.ts';

export const balanceTransactionOperations: OperationsOf<ReturnType<typeof balanceTransactionEndpoints>> =
  tagged('Ledger', {
    listBalanceTransactions: list('List ledger entries, newest first', ledgerEntryResponse, {
      type: z.enum(entryTypes).optional(),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .optional(),
      provider: z.enum(providerNames).optional(),
      period: z.string().optional().describe("A month in the tenant's time zone, as YYYY-MM."),
      'available_on[gte]': z.iso.date().optional(),
      'available_on[lte]': z.iso.date().optional(),
      source: z.string().optional().describe('Id of an invoice or payout.'),
    }),
    getBalanceTransaction: get('Get a ledger entry', ledgerEntryResponse, { params: idParameter }),
    getBalance: get('Get the balance per currency', balanceResponse, {}),
  });
