// OpenAPI descriptions of payments events, as delivered by webhooks and by the feed.
import { z } from 'zod';
import { invoiceResponse } from '../../shared/payments/invoices/schema.ts';
import { payoutResponse } from '../../shared/payments/payouts/schema.ts';
import { refundResponse } from '../../shared/payments/refunds/schema.ts';
import { taxDocumentResponse } from '../../shared/payments/tax-documents/schema.ts';
import type { paymentsEventTypes } from '../../shared/payments/webhooks/event-types.ts';
import {
  type EventDescription,
  eventOf,
  type OperationsOf,
  standardSignature,
  standardWebhookHeaders,
} from '../../shared/platform/http/openapi.ts';
import { feedMembers, feedParameters } from '../../shared/webhooks/feed/schema.ts';
import { foldMembers } from '../../shared/webhooks/management/schema.ts';
import type { eventEndpoints } from './events.ts';
import { errorResponse, get, tagged } from './openapi.ts';

type EventType = (typeof paymentsEventTypes)[number] | 'webhook.test';

const descriptions: Record<EventType, EventDescription> = {
  'invoice.paid': { summary: 'An invoice was paid', data: invoiceResponse },
  'invoice.canceled': { summary: 'An invoice was canceled', data: invoiceResponse },
  'invoice.failed': { summary: 'An invoice failed or expired', data: invoiceResponse },
  'invoice.refunded': { summary: 'A paid invoice was refunded in full or in part', data: invoiceResponse },
  'invoice.disputed': { summary: 'The payer disputes a paid invoice', data: invoiceResponse },
  'invoice.dispute_closed': { summary: 'A dispute was won or lost', data: invoiceResponse },
  'invoice.refund.created': { summary: 'A refund was created', data: refundResponse },
  'invoice.refund.succeeded': { summary: 'A refund succeeded', data: refundResponse },
  'invoice.refund.failed': { summary: 'A refund failed', data: refundResponse },
  'tax_document.issued': { summary: 'A tax document was issued', data: taxDocumentResponse },
  'tax_document.failed': { summary: 'A tax document could not be issued', data: taxDocumentResponse },
  'tax_document.canceled': { summary: 'A tax document was canceled', data: taxDocumentResponse },
  'payout.paid': { summary: 'A payout was paid', data: payoutResponse },
  'payout.failed': { summary: 'A payout failed', data: payoutResponse },
  'payout.canceled': { summary: 'A payout was canceled', data: payoutResponse },
  'webhook.test': { summary: 'A test event for one webhook', data: z.object({ webhook_id: z.uuid() }) },
};

const headers = (type: string) =>
  z.object({
    'X-Pay-Event': z.literal(type),
    'X-Pay-Delivery': z.string().describe('Id of the delivery, the same for every attempt.'),
    'X-Pay-Signature': z.string().describe('`t=<unix>,v1=<hex>`, with the HMAC-SHA256 of `<t>.<body>`.'),
    ...standardWebhookHeaders,
    'webhook-signature': standardSignature,
  });

export const paymentsEvents = Object.fromEntries(
  Object.entries(descriptions).map(([type, { summary, data }]) => [
    type,
    { summary, headers: headers(type), body: eventOf(type, data).extend(foldMembers) },
  ]),
);

const origin = z
  .string()
  .max(64)
  .optional()
  .describe('The origin of the change that caused the event, if it had one.');

const feedEvents = Object.entries(descriptions).map(([type, { data }]) =>
  eventOf(type, data).extend({ ...feedMembers, origin }),
);

const feedPage = z.object({
  data: z.array(z.union(feedEvents)),
  has_more: z.boolean(),
  next_cursor: z.string().describe('Cursor for the next request; always present.'),
});

const listed = get('List events in feed order', feedPage, { query: z.object(feedParameters) });

export const eventOperations: OperationsOf<ReturnType<typeof eventEndpoints>> = tagged('Events', {
  listEvents: {
    ...listed,
    description:
      'Poll for the events that webhooks push. All readers see the same order. Store `next_cursor` and pass it as `after` ' +
      'in the next request. Without `after`, the list starts with the oldest stored event.',
    responses: {
      ...listed.responses,
      410: errorResponse('The events after this cursor are no longer stored.'),
    },
  },
});
