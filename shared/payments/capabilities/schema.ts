// Response schema of the capabilities.
import { z } from 'zod';
import { minor } from '../requests/fields.ts';

const capability = z.object({
  kind: z.enum(['charge', 'payout', 'tax_document']),
  region: z.string().describe('Region such as `br`; `*` means any.'),
  currency: z.string().describe('Currency code; `*` means any other.'),
  method: z.string().nullable().describe('Payment method of a charge. Null for other kinds.'),
  available: z.boolean(),
  reason: z.string().nullable().describe('Why it is not available.'),
  requires: z
    .array(z.string())
    .describe('Fields of the request that are required in addition to those that are always required.'),
  due_terms: z.boolean().describe('Whether an invoice can have a due date, fine, interest and discount.'),
  refunds: z.enum(['full', 'partial', 'none']).describe('`partial` includes full refunds.'),
  min_amount: minor('Minimum amount. Null if there is none.').nullable(),
  max_amount: minor('Largest amount. Null if there is none.').nullable(),
});

export const capabilitiesResponse = z.object({ data: z.array(capability) }).meta({ id: 'Capabilities' });

export type CapabilitiesResponse = z.output<typeof capabilitiesResponse>;
