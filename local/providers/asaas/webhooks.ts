/** `/webhooks`, and the rules for delivery, retries and paused queues. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import type { DeliveryRules } from '../../fakes/deliveries.ts';
import { badRequest, find, invalidAction } from './desk.ts';
import { type AsaasApp, page, readBody } from './requests.ts';
import type { Account, WebhookConfig } from './state.ts';

const MAX_WEBHOOKS = 10;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay after the first, second and each later failure. The failure after the last one pauses the queue. */
const WAITS_MS = [0.5, 1, 3.5, 5, 15, 25, 60, 60, 60, 60, 60, 120, 120, 180].map((n) => n * MINUTE_MS);

/** Public URLs must be https; URLs on this machine are allowed. */
const isAllowedUrl = (text: string): boolean => /^(https:|http:\/\/(127\.0\.0\.1|localhost)[:/])/.test(text);

/** Events that webhooks can subscribe to. Any other name makes Asaas reject the webhook. Others than these exist. */
export const WEBHOOK_EVENTS: readonly string[] = Object.entries({
  PAYMENT:
    'AWAITING_RISK_ANALYSIS REPROVED_BY_RISK_ANALYSIS CREATED UPDATED CONFIRMED RECEIVED OVERDUE DELETED RESTORED REFUNDED REFUND_IN_PROGRESS REFUND_DENIED RECEIVED_IN_CASH_UNDONE CHARGEBACK_REQUESTED CHARGEBACK_DISPUTE AWAITING_CHARGEBACK_REVERSAL DUNNING_RECEIVED DUNNING_REQUESTED CREDIT_CARD_CAPTURE_REFUSED PARTIALLY_REFUNDED',
  INVOICE:
    'CREATED UPDATED SYNCHRONIZED AUTHORIZED PROCESSING_CANCELLATION CANCELED CANCELLATION_DENIED ERROR',
  TRANSFER: 'CREATED PENDING IN_BANK_PROCESSING BLOCKED DONE FAILED CANCELLED',
  BALANCE_VALUE: 'BLOCKED UNBLOCKED',
  ACCESS_TOKEN: 'CREATED DELETED DISABLED ENABLED EXPIRED EXPIRING_SOON',
}).flatMap(([prefix, names]) => names.split(' ').map((name) => `${prefix}_${name}`));

const members = {
  name: z.string().min(1).max(255),
  url: z.string().refine(isAllowedUrl, 'must be https'),
  sendType: z.enum(['SEQUENTIALLY', 'NON_SEQUENTIALLY']),
  enabled: z.boolean(),
  interrupted: z.boolean(),
  authToken: z.string().min(32).max(255),
  events: z.array(z.enum(WEBHOOK_EVENTS)).min(1),
};
const NewWebhook = z.strictObject({ ...members, email: z.email(), apiVersion: z.literal(3) });
const WebhookChange = z.strictObject(members).partial();

function checkEvents({ options }: Account, events: readonly string[]): void {
  const refused = events.filter((event) => options.refusedWebhookEvents.includes(event));
  if (refused.length > 0) throw badRequest('invalid_object', `Evento inválido: ${refused.join(', ')}`);
}

/** The token cannot be read. */
const renderWebhook = ({ authToken: _, ...shown }: WebhookConfig) => ({ ...shown, hasAuthToken: true });

export function webhookRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  app.post('/', async (c) => {
    const { account } = c.get('desk');
    const given = await readBody(c, NewWebhook);
    checkEvents(account, given.events);
    if (account.webhooks.length >= MAX_WEBHOOKS)
      throw invalidAction(`É permitido cadastrar no máximo ${MAX_WEBHOOKS} webhooks.`);
    const config: WebhookConfig = { id: randomUUID(), ...given, penalizedRequestsCount: 0 };
    account.webhooks.push(config);
    return c.json(renderWebhook(config));
  });
  app.get('/', (c) => page(c, c.get('desk').account.webhooks, renderWebhook));
  app.put('/:id', async (c) => {
    const { account, kit } = c.get('desk');
    const config = find(account.webhooks, c.req.param('id'));
    const change = await readBody(c, WebhookChange);
    checkEvents(account, change.events ?? []);
    const wasResumed = config.interrupted && change.interrupted === false;
    Object.assign(config, change, wasResumed && { penalizedRequestsCount: 0 });
    if (wasResumed) kit.webhooks.resume(config.id);
    return c.json(renderWebhook(config));
  });
  app.delete('/:id', (c) => {
    const { account, kit } = c.get('desk');
    const { id } = find(account.webhooks, c.req.param('id'));
    account.webhooks = account.webhooks.filter((config) => config.id !== id);
    kit.webhooks.resume(id);
    return c.json({ deleted: true, id });
  });
  app.post('/:id/removeBackoff', (c) => {
    const { account, kit } = c.get('desk');
    const config = find(account.webhooks, c.req.param('id'));
    config.penalizedRequestsCount = 0;
    kit.webhooks.resume(config.id);
    return c.body(null, 204);
  });
  return app;
}

export function webhookRules(accounts: () => Account[]): DeliveryRules {
  const configOf = (id: string): WebhookConfig | undefined =>
    accounts()
      .flatMap(({ webhooks }) => webhooks)
      .find((config) => config.id === id);
  return {
    timeoutMs: 10_000,
    keepMs: 14 * 24 * HOUR_MS,
    endpoint(id) {
      const config = configOf(id);
      if (config === undefined) return undefined;
      const { url, sendType, interrupted, enabled } = config;
      return { id, url, sequential: sendType === 'SEQUENTIALLY', paused: interrupted || !enabled };
    },
    headers: ({ id }) => ({
      'content-type': 'application/json;charset=UTF-8',
      'user-agent': 'Asaas',
      'asaas-access-token': configOf(id)?.authToken ?? '',
    }),
    // Other 2xx statuses count as failures.
    isDelivered: (status) => status === 200,
    succeeded({ id }) {
      const config = configOf(id);
      if (config !== undefined) config.penalizedRequestsCount = 0;
    },
    failed({ id }) {
      const config = configOf(id);
      if (config === undefined) return 'drop';
      const retryInMs = WAITS_MS[config.penalizedRequestsCount];
      config.penalizedRequestsCount += 1;
      // Stays in the queue until the merchant resumes it.
      config.interrupted = retryInMs === undefined;
      return { retryInMs: retryInMs ?? 0 };
    },
  };
}
