// OpenAPI descriptions of the ledger.
import { z } from 'zod';
import { balanceResponse, ledgerEntryResponse } from '../../shared/payments/ledger/schema.ts';
import { entryTypes } from '../../shared/payments/ledger/serialize.ts';
import { providerNames } from '../../shared/payments/provider-registry/registry.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import type { balanceTransactionEndpoints } from './balance-transactions.ts';
import { controlParameters, file, get, idParameter, list, tagged } from './openapi.ts';

const filters = {
  type: z.enum(entryTypes).optional().describe('Only entries of this type.'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .describe('Only entries in this currency.'),
  provider: z.enum(providerNames).optional().describe('Only entries of this provider.'),
  period: z.string().optional().describe("A month in the tenant's time zone, as YYYY-MM."),
  source: z.string().optional().describe('Id of an invoice, a refund or a payout.'),
};

const CSV_EXAMPLE =
  'id,created,available_on,type,reason,amount,currency,fee,net,source_resource,source_id,refund_id,our_number,cost_center,contractor_reference,provider\r\n' +
  'btxn_01kdvc2v0me5rtj6wm1s1mkb9f,2026-11-10T09:00:00-03:00,2026-11-10,charge,,100.00,BRL,1.99,98.01,invoice,inv_01kdvc2v0me5rtj6wm1s1mkb9e,,INV-2026-000001,,order-42,sandbox\r\n';

const OFX_EXAMPLE =
  'OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\nCHARSET:1252\r\n' +
  'COMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n<OFX>...</OFX>\r\n';

const exportDescription =
  'Contains the entries that the list shows with the same filters, oldest first. Requires `period`, or both `created[gte]` and ' +
  '`created[lte]` at most 366 days apart. At most 100 000 entries, and two exports at once per tenant. If the connection breaks ' +
  'before the end of the response, the file is incomplete: request it again.';

export const balanceTransactionOperations: OperationsOf<ReturnType<typeof balanceTransactionEndpoints>> =
  tagged('Ledger', {
    listBalanceTransactions: list('List ledger entries, newest first', ledgerEntryResponse, {
      ...filters,
      'available_on[gte]': z.iso.date().optional().describe('Inclusive.'),
      'available_on[lte]': z.iso.date().optional().describe('Inclusive.'),
    }),
    exportBalanceTransactionsCsv: file('Export ledger entries as CSV', {
      description: exportDescription,
      contentType: 'text/csv',
      example: CSV_EXAMPLE,
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
      example: OFX_EXAMPLE,
      query: z.object({
        ...controlParameters,
        ...filters,
        currency: filters.currency.describe('Default: BRL.'),
      }),
    }),
    getBalanceTransaction: get('Get a ledger entry', ledgerEntryResponse, { params: idParameter }),
    getBalance: get('Get the balance per currency', balanceResponse, {}),
  });
