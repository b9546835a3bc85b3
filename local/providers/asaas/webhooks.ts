/** `/webhooks`, and the rules for delivery, retries and paused queues. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import type { WebhookRules } from '../webhook-queue.ts';
import { badRequest, invalidAction, notFound } from './errors.ts';
import { type AsaasApp, type AsaasContext, page, readBody } from './requests.ts';
import type { AsaasServices } from './services.ts';
import type { Account, WebhookConfig } from './state.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

const MAX_WEBHOOKS = 10;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay after the first, second and each later failure. The failure after the last one pauses the queue. */
const WAITS_MS = [
  30 * SECOND_MS,
  MINUTE_MS,
  3.5 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  25 * MINUTE_MS,
  ...Array.from({ length: 5 }, () => HOUR_MS),
  2 * HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
];

/** Public URLs must be https; URLs on this machine are allowed. */
function isAllowedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
  );
}

const members = {
  name: z.string().min(1).max(255),
  url: z.string().refine(isAllowedUrl, 'must be https'),
  sendType: z.enum(['SEQUENTIALLY', 'NON_SEQUENTIALLY']),
  enabled: z.boolean(),
  interrupted: z.boolean(),
  authToken: z.string().min(32).max(255),
  events: z.array(z.enum(WEBHOOK_EVENTS)).min(1),
};
const NewWebhook = z.object({ ...members, email: z.email(), apiVersion: z.literal(3) });
const WebhookChange = z.object(members).partial();

function checkEvents(account: Account, events: readonly string[] = []): void {
  const refused = events.filter((event) => account.options.refusedWebhookEvents.includes(event));
  if (refused.length > 0) throw badRequest('invalid_object', `Evento inválido: ${refused.join(', ')}`);
}

function renderWebhook(config: WebhookConfig) {
  const { authToken, ...shown } = config;
  return { ...shown, hasAuthToken: authToken !== '' };
}

export function webhookRoutes(services: AsaasServices): AsaasApp {
  const app: AsaasApp = new Hono();
  const webhookOf = (c: AsaasContext): WebhookConfig => {
    const found = c.get('account').webhooks.find(({ id }) => id === c.req.param('id'));
    if (found === undefined) throw notFound();
    return found;
  };

  app.post('/', async (c) => {
    const account = c.get('account');
    const given = await readBody(c, NewWebhook);
    checkEvents(account, given.events);
    if (account.webhooks.length >= MAX_WEBHOOKS) {
      throw invalidAction(`É permitido cadastrar no máximo ${MAX_WEBHOOKS} webhooks.`);
    }
    const config: WebhookConfig = { id: randomUUID(), ...given, penalizedRequestsCount: 0 };
    account.webhooks.push(config);
    return c.json(renderWebhook(config));
  });

  app.get('/', (c) => c.json(page(c, c.get('account').webhooks, renderWebhook)));
  app.get('/:id', (c) => c.json(renderWebhook(webhookOf(c))));

  app.put('/:id', async (c) => {
    const config = webhookOf(c);
    const change = await readBody(c, WebhookChange);
    checkEvents(c.get('account'), change.events);
    const wasResumed = config.interrupted && change.interrupted === false;
    Object.assign(config, change);
    if (wasResumed) config.penalizedRequestsCount = 0;
    services.kit.webhooks.resume(config.id, { atOnce: wasResumed });
    return c.json(renderWebhook(config));
  });

  app.delete('/:id', (c) => {
    const account = c.get('account');
    const { id } = webhookOf(c);
    account.webhooks = account.webhooks.filter((config) => config.id !== id);
    services.kit.webhooks.resume(id);
    return c.json({ deleted: true, id });
  });

  app.post('/:id/removeBackoff', (c) => {
    const config = webhookOf(c);
    config.penalizedRequestsCount = 0;
    services.kit.webhooks.resume(config.id);
    return c.body(null, 204);
  });
  return app;
}

const KEPT_MS = 14 * 24 * HOUR_MS;
const TIMEOUT_MS = 10 * SECOND_MS;

export function webhookRules(accounts: () => Account[]): WebhookRules {
  const configOf = (id: string): WebhookConfig | undefined =>
    accounts()
      .flatMap(({ webhooks }) => webhooks)
      .find((config) => config.id === id);

  return {
    timeoutMs: TIMEOUT_MS,
    keepMs: KEPT_MS,
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
      if (retryInMs !== undefined) return { retryInMs };
      config.interrupted = true;
      // Stays in the queue until the merchant resumes it.
      return { retryInMs: 0 };
    },
  };
}
