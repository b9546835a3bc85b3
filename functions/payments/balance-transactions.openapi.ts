// OpenAPI descriptions of the ledger.
import { z } from 'zod';
import { balanceResponse, ledgerEntryResponse } from '../../shared/payments/ledger/schema.ts';
import { entryTypes } from '../../shared/payments/ledger/serialize.ts';
import { providerNames } from '../../shared/payments/providers/names.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import type { balanceTransactionEndpoints } from './balance-transactions.ts';
import { controlParameters, file, get, idParameter, list, tagged } from './openapi.ts';

const filters = {
  type: z.enum(entryTypes).optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  provider: z.enum(providerNames).optional(),
  period: z.string().optional().describe("A month in the tenant's time zone, as YYYY-MM."),
  source: z.string().optional().describe('Id of an invoice or payout.'),
};

const exportDescription =
  'Contains the entries that the list shows with the same filters, oldest first. Requires `period`, or both `created[gte]` and ' +
  '`created[lte]` at most 366 days apart. At most 100 000 entries, and two exports at once per tenant. If the connection breaks ' +
  'before the end of the response, the file is incomplete: request it again.';

export const balanceTransactionOperations: OperationsOf<ReturnType<typeof balanceTransactionEndpoints>> =
  tagged('Ledger', {
    listBalanceTransactions: list('List ledger entries, newest first', ledgerEntryResponse, {
      ...filters,
      'available_on[gte]': z.iso.date().optional(),
      'available_on[lte]': z.iso.date().optional(),
    }),
    exportBalanceTransactionsCsv: file('Export ledger entries as CSV', {
      description: exportDescription,
      contentType: 'text/csv',
      query: z.object({
        ...controlParameters,
        ...filters,
        locale: z
          .enum(['en', 'pt-BR'])
          .optional()
          .describe('`pt-BR`: separated by semicolons, with decimal commas and dates as dd/mm/yyyy.'),
      }),
    }),
    exportBalanceTransactionsOfx: file('Export ledger entries of one currency as OFX', {
      description: exportDescription,
      contentType: 'application/x-ofx',
      query: z.object({
        ...controlParameters,
        ...filters,
        currency: filters.currency.describe('Default: BRL.'),
      }),
    }),
    getBalanceTransaction: get('Get a ledger entry', ledgerEntryResponse, { params: idParameter }),
    getBalance: get('Get the balance per currency', balanceResponse, {}),
  });
