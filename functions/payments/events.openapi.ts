// What OpenAPI says of the events of payments.
import { z } from 'zod';
import { invoiceResponse } from '../../shared/payments/invoices/schema.ts';
import type { invoiceEvents, invoiceMoneyEvents } from '../../shared/payments/invoices/states.ts';
import { payoutResponse } from '../../shared/payments/payouts/schema.ts';
import type { payoutEvents } from '../../shared/payments/payouts/states.ts';
import { taxDocumentResponse } from '../../shared/payments/tax-documents/schema.ts';
import type { taxDocumentEvents } from '../../shared/payments/tax-documents/states.ts';
import {
  type EventDescription,
  eventOf,
  standardSignature,
  standardWebhookHeaders,
} from '../../shared/platform/http/openapi.ts';

type EventType =
  | (typeof invoiceEvents)[number]
  | (typeof invoiceMoneyEvents)[number]
  | (typeof taxDocumentEvents)[number]
  | (typeof payoutEvents)[number];

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
    { summary, headers: headers(type), body: eventOf(type, data) },
  ]),
);
