// Request and response schemas of refunds.
import { z } from 'zod';
import { text } from '../../platform/validation.ts';
import { pendingReasons } from '../providers/refund-port.ts';
import {
  amount,
  controlResponse,
  failureReasonResponse,
  millisecondTime,
  minor,
  objectOf,
  optional,
  parseOrThrow,
} from '../requests/fields.ts';
import { refundStatuses } from './states.ts';

export const refundSchema = objectOf({
  amount: optional(amount).meta({
    type: ['integer', 'null'],
    description: 'Default: all that is left to refund.',
  }),
  reason: optional(text({ maxLength: 140, filled: true })).describe(
    'Free text, shown to the payer by some banks.',
  ),
}).meta({ id: 'RefundRequest' });

/** A refund in a response. */
export const refundResponse = z
  .object({
    id: z.string(),
    invoice_id: z.string(),
    status: z.enum(refundStatuses),
    amount: minor('Refunded to the payer.'),
    currency: z.string(),
    reason: z.string().nullable().describe("The caller's reason, or the provider's description."),
    origin: z.enum(['api', 'provider']).describe('`provider`: made in the dashboard of the provider.'),
    pending_reason: z.enum(pendingReasons).nullable().describe('Why the refund is still pending.'),
    action_url: z
      .string()
      .nullable()
      .describe('Page on which the payer enters a bank account. Send it to the payer.'),
    failure_reason: failureReasonResponse,
    ...controlResponse,
    created: millisecondTime,
    settled_at: millisecondTime.nullable().describe('When it succeeded or failed.'),
  })
  .meta({ id: 'Refund' });

export type RefundResponse = z.output<typeof refundResponse>;
export type RefundInput = z.output<typeof refundSchema>;

/** Parses a request body, if any. Throws `validation` with every invalid field. */
export const parseRefund = (body: unknown): RefundInput => parseOrThrow(refundSchema, body);
