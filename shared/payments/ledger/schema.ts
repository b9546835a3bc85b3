// Response schemas of ledger entries and the balance.
import { z } from 'zod';
import { millisecondTime, minor } from '../requests/fields.ts';
import { entryTypes } from './serialize.ts';

export const ledgerEntryResponse = z
  .object({
    id: z.string(),
    type: z.enum(entryTypes),
    amount: minor('Positive for money in, negative for money out.'),
    currency: z.string(),
    fee: minor('Fee charged by the provider.'),
    net: minor('amount - fee.'),
    available_on: z.iso.date(),
    created: millisecondTime,
    source: z.object({ resource: z.enum(['invoice', 'payout']), id: z.string() }).nullable(),
    counterparty: z
      .string()
      .nullable()
      .describe('Name of the payer of the invoice, or of the beneficiary of the payout.'),
    cost_center: z.string().nullable(),
    our_number: z.string().nullable(),
    contractor_reference: z.string().nullable(),
    refund_id: z.string().nullable().describe('The refund that moved the money.'),
    reason: z.string().nullable().describe('Why the balance was adjusted. Null for other entry types.'),
  })
  .meta({ id: 'BalanceTransaction' });

export type LedgerEntryResponse = z.output<typeof ledgerEntryResponse>;

export const balanceResponse = z
  .object({
    data: z.array(
      z.object({
        currency: z.string(),
        available: minor(
          "Net of the entries whose available_on is today or earlier in the tenant's time zone.",
        ),
        pending: minor('Net of the entries whose available_on is in the future.'),
      }),
    ),
  })
  .meta({ id: 'Balance' });

export type BalanceResponse = z.output<typeof balanceResponse>;
