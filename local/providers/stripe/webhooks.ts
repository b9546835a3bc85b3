/** `/v1/webhook_endpoints` and `/v1/events`. */
import { Hono } from 'hono';
import { z } from 'zod';
import { refused } from './errors.ts';
import { EVENTS } from './event-names.ts';
import { Bool, Clearable, listOf, Metadata, mergeMetadata, Text, Url } from './params.ts';
import {
  answer,
  CREATED,
  named,
  PAGING,
  page,
  read,
  type StripeApp,
  type StripeContext,
  within,
} from './requests.ts';
import { newId, type StripeServices } from './services.ts';
import type { Account, WebhookEndpoint } from './state.ts';

const MAX_ENDPOINTS = 16;

const EventName = Text.transform((name, ctx) => {
  if (name === '*' || EVENTS.includes(name)) return name;
  ctx.addIssue({
    code: 'custom',
    message: `must be one of *, ${EVENTS.join(', ')}`,
    params: { code: 'enum' },
  });
  return z.NEVER;
});

const LOCAL = ['127.0.0.1', 'localhost', '[::1]'];

/** Public URLs must be https in live mode; URLs on this machine are allowed. */
function requireAllowed(account: Account, text: string | undefined): void {
  if (text === undefined) return;
  const { protocol, hostname } = new URL(text);
  if (LOCAL.includes(hostname) || !account.livemode || protocol === 'https:') return;
  throw refused('Invalid URL: In live mode, your webhook endpoint must be an HTTPS URL.', {
    code: 'url_invalid',
    param: 'url',
  });
}

export function endpointRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const endpoint = (c: StripeContext) =>
    named(c, c.get('account').endpoints, 'webhook endpoint', 'webhook_endpoint');

  app.post('/', (c) => {
    const account = c.get('account');
    const { url, enabled_events, api_version, description, metadata } = read(c, {
      url: Url,
      enabled_events: listOf(EventName),
      api_version: Text.optional(),
      connect: Bool.optional(),
      description: Clearable.optional(),
      metadata: Metadata.optional(),
    });
    requireAllowed(account, url);
    if (account.endpoints.length >= MAX_ENDPOINTS) {
      throw refused(
        `You have reached the maximum of ${MAX_ENDPOINTS} test webhook endpoints.`.replace(
          'test',
          account.livemode ? 'live' : 'test',
        ),
      );
    }
    const made: WebhookEndpoint = {
      id: newId('we'),
      object: 'webhook_endpoint',
      api_version: api_version ?? null,
      application: null,
      created: services.now(),
      description: description ?? null,
      enabled_events,
      livemode: account.livemode,
      metadata: mergeMetadata({}, metadata),
      status: 'enabled',
      url,
    };
    const secret = newId('whsec', 32);
    account.endpoints.push(made);
    account.secrets[made.id] = secret;
    return answer(c, services, { ...made, secret });
  });

  app.get('/', (c) => page(c, services, c.get('account').endpoints, read(c, PAGING), 'webhook endpoint'));
  app.get('/:id', (c) => {
    read(c, {});
    return answer(c, services, endpoint(c));
  });

  app.post('/:id', (c) => {
    const known = endpoint(c);
    const { url, enabled_events, description, disabled, metadata } = read(c, {
      url: Url.optional(),
      enabled_events: listOf(EventName).optional(),
      description: Clearable.optional(),
      disabled: Bool.optional(),
      metadata: Metadata.optional(),
    });
    requireAllowed(c.get('account'), url);
    if (url !== undefined) known.url = url;
    if (enabled_events !== undefined) known.enabled_events = enabled_events;
    if (description !== undefined) known.description = description;
    if (disabled !== undefined) known.status = disabled ? 'disabled' : 'enabled';
    known.metadata = mergeMetadata(known.metadata, metadata);
    services.kit.webhooks.resume(known.id, { atOnce: false });
    return answer(c, services, known);
  });

  app.delete('/:id', (c) => {
    const account = c.get('account');
    const { id } = endpoint(c);
    account.endpoints = account.endpoints.filter((one) => one.id !== id);
    delete account.secrets[id];
    services.kit.webhooks.resume(id);
    return c.json({ id, object: 'webhook_endpoint', deleted: true });
  });
  return app;
}

/** Retention of events. */
const EVENTS_S = 30 * 24 * 60 * 60;

export function eventRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const kept = (c: StripeContext) => {
    const deliveries = services.kit.webhooks.list({ account: c.get('account').id });
    return c
      .get('account')
      .events.filter(({ created }) => created > services.now() - EVENTS_S)
      .map((event) => {
        const waiting = deliveries.filter(
          ({ event: { id }, state }) => id === event.id && state === 'waiting',
        );
        return { ...event, pending_webhooks: waiting.length };
      });
  };

  app.get('/', (c) => {
    const {
      created,
      type,
      types,
      delivery_success: success,
      ...paging
    } = read(c, {
      ...PAGING,
      ...CREATED,
      type: Text.optional(),
      types: listOf(Text).optional(),
      delivery_success: Bool.optional(),
    });
    const fits = (name: string, pattern: string): boolean =>
      pattern === '*' ||
      pattern === name ||
      (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1)));
    const found = kept(c).filter(
      (event) =>
        within(created, event.created) &&
        (type === undefined || fits(event.type, type)) &&
        (types === undefined || types.some((pattern) => fits(event.type, pattern))) &&
        (success === undefined || (event.pending_webhooks === 0) === success),
    );
    return page(c, services, found, paging, 'event');
  });

  app.get('/:id', (c) => {
    read(c, {});
    return answer(c, services, named(c, kept(c), 'event'));
  });
  return app;
}
