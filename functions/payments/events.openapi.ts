// What OpenAPI says of the events of payments: those that webhooks bring, and the feed.
import { z } from 'zod';
import { invoiceResponse } from '../../shared/payments/invoices/schema.ts';
import { payoutResponse } from '../../shared/payments/payouts/schema.ts';
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
import { burstMembers } from '../../shared/webhooks/management/schema.ts';
import type { eventEndpoints } from './events.ts';
import { fails, get, tagged } from './openapi.ts';

type EventType = (typeof paymentsEventTypes)[number] | 'webhook.test';

const descriptions: Record<EventType, EventDescription> = {
  'invoice.paid': { summary: 'An invoice was paid', data: invoiceResponse },
  'invoice.canceled': { summary: 'An invoice was canceled', data: invoiceResponse },
  'invoice.failed': { summary: 'An invoice failed or expired', data: invoiceResponse },
  'invoice.refunded': { summary: 'Money of a paid invoice went back', data: invoiceResponse },
  'invoice.disputed': { summary: 'The payer disputes a paid invoice', data: invoiceResponse },
  'tax_document.issued': { summary: 'A tax document was issued', data: taxDocumentResponse },
  'tax_document.failed': { summary: 'A tax document could not be issued', data: taxDocumentResponse },
  'tax_document.canceled': { summary: 'A tax document was canceled', data: taxDocumentResponse },
  'payout.paid': { summary: 'A payout arrived', data: payoutResponse },
  'payout.failed': { summary: 'A payout failed', data: payoutResponse },
  'payout.canceled': { summary: 'A payout was canceled', data: payoutResponse },
  'webhook.test': { summary: 'A test, to one webhook', data: z.object({ webhook_id: z.uuid() }) },
};

const headers = (type: string) =>
  z.object({
    'X-Pay-Event': z.literal(type),
    'X-Pay-Delivery': z.string().describe('Id of the delivery, the same on every attempt.'),
    'X-Pay-Signature': z.string().describe('`t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`.'),
    ...standardWebhookHeaders,
    'webhook-signature': standardSignature,
  });

export const paymentsEvents = Object.fromEntries(
  Object.entries(descriptions).map(([type, { summary, data }]) => [
    type,
    { summary, headers: headers(type), body: eventOf(type, data).extend(burstMembers) },
  ]),
);

const origin = z
  .string()
  .max(64)
  .optional()
  .describe('As the change that caused it named itself, if it did.');

const feedEvents = Object.entries(descriptions).map(([type, { data }]) =>
  eventOf(type, data).extend({ ...feedMembers, origin }),
);

const feedPage = z.object({
  data: z.array(z.union(feedEvents)),
  has_more: z.boolean(),
  next_cursor: z.string().describe('Always given: go on after it.'),
});

const listed = get('List events in the order of the feed', feedPage, { query: z.object(feedParameters) });

export const eventOperations: OperationsOf<ReturnType<typeof eventEndpoints>> = tagged('Events', {
  listEvents: {
    ...listed,
    description:
      'What webhooks push, to be asked for: every event, in one order that all readers see. Keep `next_cursor` and ask after it. ' +
      'Without `after` it begins with the oldest that is kept.',
    responses: { ...listed.responses, 410: fails('Events after this cursor are no longer kept.') },
  },
});
