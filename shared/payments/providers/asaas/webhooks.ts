// Manages our webhook at Asaas, verifies its deliveries and parses their events.

import { z } from 'zod';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import { isDay } from '../../../platform/instants.ts';
import { errorFields, type Logger } from '../../../platform/logger.ts';
import { toMinorUnits } from '../../formats/currencies.ts';
import type { EventSubject, ProviderEvent, WebhookOrder } from '../accounts.ts';
import { isSameCallback } from '../callback-url.ts';
import type { ConnectedProvider } from '../provider.ts';
import { type AsaasClient, type AsaasClients, AsaasRejected, segment } from './client.ts';
import { ignoredResponse, type Webhook, webhook as webhookSchema } from './resources.ts';

/** Without these events, invoices, payouts and tax documents would be updated late. Comparisons find the changes of the other events. */
export const CORE_EVENTS = [
  'PAYMENT_CONFIRMED',
  'PAYMENT_RECEIVED',
  'PAYMENT_OVERDUE',
  'PAYMENT_DELETED',
  'PAYMENT_REFUNDED',
  'PAYMENT_PARTIALLY_REFUNDED',
  'PAYMENT_CHARGEBACK_REQUESTED',
  'INVOICE_AUTHORIZED',
  'INVOICE_CANCELED',
  'INVOICE_CANCELLATION_DENIED',
  'INVOICE_ERROR',
  'TRANSFER_DONE',
  'TRANSFER_FAILED',
  'TRANSFER_CANCELLED',
];

/** All events that may change an order or the account. Events such as page views are omitted. */
export const EVENTS = [
  ...CORE_EVENTS,
  'PAYMENT_UPDATED',
  'PAYMENT_RESTORED',
  'PAYMENT_REFUND_IN_PROGRESS',
  'PAYMENT_REFUND_DENIED',
  'PAYMENT_RECEIVED_IN_CASH_UNDONE',
  'PAYMENT_CHARGEBACK_DISPUTE',
  'PAYMENT_AWAITING_CHARGEBACK_REVERSAL',
  'PAYMENT_DUNNING_RECEIVED',
  'PAYMENT_CREDIT_CARD_CAPTURE_REFUSED',
  'PAYMENT_REPROVED_BY_RISK_ANALYSIS',
  'INVOICE_UPDATED',
  'INVOICE_SYNCHRONIZED',
  'INVOICE_PROCESSING_CANCELLATION',
  'TRANSFER_PENDING',
  'TRANSFER_IN_BANK_PROCESSING',
  'TRANSFER_BLOCKED',
  'BALANCE_VALUE_BLOCKED',
  'BALANCE_VALUE_UNBLOCKED',
  'ACCESS_TOKEN_DISABLED',
  'ACCESS_TOKEN_ENABLED',
  'ACCESS_TOKEN_DELETED',
  'ACCESS_TOKEN_EXPIRED',
  'ACCESS_TOKEN_EXPIRING_SOON',
];

type Webhooks = Pick<ConnectedProvider, 'ensureWebhook' | 'removeWebhook'>;

export function createWebhooks(until: AsaasClients, log: Logger): Webhooks {
  const path = (id: string) => `/webhooks/${segment(id)}`;

  async function at(client: AsaasClient, url: string): Promise<Webhook[]> {
    const found: Webhook[] = [];
    for await (const one of client.list('/webhooks', {}, webhookSchema))
      if (one.url && isSameCallback(one.url, url)) found.push(one);
    return found;
  }

  async function remove(client: AsaasClient, id: string): Promise<void> {
    try {
      await client.send({ method: 'DELETE', path: path(id) }, ignoredResponse);
    } catch (error) {
      if (!(error instanceof AsaasRejected) || error.status !== 404) throw error;
    }
  }

  /** Removes the increasing delay that Asaas adds after failed deliveries and keeps even after they succeed again. */
  async function removeBackoff(client: AsaasClient, id: string): Promise<void> {
    try {
      await client.send({ method: 'POST', path: `${path(id)}/removeBackoff` }, ignoredResponse);
    } catch (error) {
      // If this fails, deliveries still arrive, only later.
      if (!(error instanceof AsaasRejected)) throw error;
      log.warn('Asaas did not remove the webhook backoff', errorFields(error));
    }
  }

  async function save(
    client: AsaasClient,
    kept: Webhook | undefined,
    order: WebhookOrder,
    events: readonly string[],
  ): Promise<Webhook> {
    // Always sends all settings, because the current token cannot be read.
    const body = { ...settingsOf(order), events };
    const call = kept
      ? ({ method: 'PUT', path: path(kept.id), body } as const)
      : ({
          method: 'POST',
          path: '/webhooks',
          body: { ...body, email: order.email, apiVersion: 3 },
        } as const);
    return await client.send(call, webhookSchema);
  }

  /** Registers all events, or the core events if Asaas rejects one of the others. */
  async function register(
    client: AsaasClient,
    kept: Webhook | undefined,
    order: WebhookOrder,
  ): Promise<{ updated: Webhook; warning?: string }> {
    if (order.onlyCoreEvents) return { updated: await save(client, kept, order, CORE_EVENTS) };
    try {
      return { updated: await save(client, kept, order, EVENTS) };
    } catch (error) {
      if (!(error instanceof AsaasRejected) || error.status !== 400) throw error;
      const updated = await save(client, kept, order, CORE_EVENTS);
      log.warn('Asaas rejected some webhook events', { reason: error.message });
      return { updated, warning: error.message };
    }
  }

  return {
    async ensureWebhook(order, signal) {
      const client = until(signal);
      const found = await at(client, order.url);
      const kept = found.find(({ id }) => id === order.reference) ?? found[0];
      for (const other of found) if (other !== kept) await remove(client, other.id);
      const { updated, warning } = await register(client, kept, order);
      if (!kept) return { ...reportOf(updated), warning };
      if (kept.interrupted || kept.penalizedRequestsCount) await removeBackoff(client, kept.id);
      return { ...reportOf(updated), wasResumed: reportOf(kept).state === 'paused', warning };
    },
    async removeWebhook({ url, reference }, signal) {
      const client = until(signal);
      if (reference) await remove(client, reference);
      for (const { id } of await at(client, url)) await remove(client, id);
    },
  };
}

/** Neither send type guarantees the order, and with sequential sending one failing delivery blocks all later ones. */
function settingsOf({ url, secret }: WebhookOrder) {
  return {
    name: 'Placar',
    url,
    enabled: true,
    interrupted: false,
    authToken: secret,
    sendType: 'NON_SEQUENTIALLY',
  };
}

function reportOf({ id, enabled, interrupted }: Webhook) {
  const paused = interrupted === true || enabled === false;
  return { reference: id, state: paused ? ('paused' as const) : ('active' as const), secret: undefined };
}

/** The token is the only authentication: Asaas does not sign deliveries. */
export function carriesToken(headers: Headers, token: string | null): boolean {
  return token ? constantTimeEqual(headers.get('asaas-access-token') ?? '', token) : false;
}

const named = z.object({ id: z.string().nullish(), externalReference: z.string().nullish() }).nullish();

const balanceChange = z
  .object({
    value: z.number(),
    date: z.string().nullish(),
    type: z.string(),
    paymentId: z.string().nullish(),
  })
  .nullish()
  .catch(undefined);

const delivery = z.object({
  /** Such as `evt_...&123`. Only the complete text is unique. */
  id: z.string().min(1),
  event: z.string().min(1),
  dateCreated: z.string().nullish(),
  payment: named,
  transfer: named,
  invoice: named,
  // Asaas documents both names.
  balance: balanceChange,
  balanceData: balanceChange,
});

/** Throws if the body is not an event of Asaas. */
export function readDelivery(body: Uint8Array): ProviderEvent {
  const read = delivery.parse(JSON.parse(new TextDecoder().decode(body)));
  return { eventId: read.id, type: read.event, about: subjectOf(read) };
}

function subjectOf(read: z.infer<typeof delivery>): EventSubject | undefined {
  const { event, payment, transfer, invoice } = read;
  if (event.startsWith('PAYMENT_')) return orderOf('charge', payment);
  if (event.startsWith('TRANSFER_')) return orderOf('payout', transfer);
  if (event.startsWith('INVOICE_')) return orderOf('tax_document', invoice);
  return balanceOf(read) ?? accountOf(event);
}

/** Balance that was blocked because of a charge. Other blocks concern only the account. */
function balanceOf({ event, dateCreated, ...members }: z.infer<typeof delivery>): EventSubject | undefined {
  const change = members.balanceData ?? members.balance;
  const day = (change?.date ?? dateCreated ?? '').slice(0, 10);
  const isBalance = event === 'BALANCE_VALUE_BLOCKED' || event === 'BALANCE_VALUE_UNBLOCKED';
  const amountMinor = change ? Math.abs(toMinorUnits(change.value, 'BRL')) : 0;
  if (!isBalance || !change?.paymentId || !isDay(day) || amountMinor === 0) return undefined;
  return {
    kind: 'balance',
    change: event === 'BALANCE_VALUE_BLOCKED' ? 'blocked' : 'unblocked',
    type: change.type,
    amountMinor,
    currency: 'BRL',
    providerReference: change.paymentId,
    day,
  };
}

function accountOf(event: string): EventSubject | undefined {
  return /^(ACCESS_TOKEN|BALANCE_VALUE|ACCOUNT_STATUS)_/.test(event) ? { kind: 'account' } : undefined;
}

function orderOf(
  kind: 'charge' | 'payout' | 'tax_document',
  about: z.infer<typeof named>,
): EventSubject | undefined {
  const reference = about?.externalReference ?? undefined;
  const providerReference = about?.id ?? undefined;
  return reference || providerReference ? { kind, reference, providerReference } : undefined;
}
