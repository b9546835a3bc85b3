import { type Context, clientOf } from '../../platform/context.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { checkUrl, type DestinationRules } from '../../webhooks/management/check-url.ts';
import { narrowingColumns, narrowingOf } from '../../webhooks/management/narrowing.ts';
import {
  checkReadable,
  recordOf,
  setHeaders,
  setSecret,
  updateWebhook as updateRow,
  type WebhookRecord,
} from '../../webhooks/management/queries.ts';
import { generateSecret } from '../../webhooks/signatures.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { readableTypes, requireReadable, withReadableEvents } from './event-scopes.ts';
import { recordsNarrowing } from './narrowing.ts';
import { GENERATE, type WebhookChange, webhookChange } from './schema.ts';

const columns = [...columnsOf(webhookChange({ eventTypes: {} }), 'secret', 'headers'), ...narrowingColumns];

/** What decides where events go and whether: a change of it needs what subscribing to the webhook's events needs. */
const ofDeliveries = [
  'url',
  'events',
  'filters',
  'changed',
  'headers',
  'ordered',
  'fold_seconds',
  'secret',
  'active',
] as const;

/**
 * Changes what is given; a secret replaces the one before at once, and is shown when it was made here. Throws `not_found`, `validation`, `conflict`,
 * `unprocessable`, and `insufficient_scope` where more than its description is changed and the actor may not read the data of the events that it
 * has, or is to have: those that it has may wait for a retry.
 */
export async function updateWebhook(
  { read, write, tenantId, actor }: Context,
  webhookId: string,
  input: WebhookChange,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  const { secret: asked, headers, ...given } = input;
  const change = { ...given, ...narrowingOf(given, recordsNarrowing) };
  const readable = readableTypes(actor);
  requireReadable(actor, change.events ?? []);
  if (change.url !== undefined) {
    // Names are resolved for those alone who may change it.
    const checked = read((sql) => checkReadable(sql, tenantId, webhookId, readable));
    await withDomainErrors(withReadableEvents(actor, checked));
    await checkUrl(change.url, rules);
  }
  const made = asked === GENERATE ? generateSecret() : undefined;
  const secret = made ?? asked;
  const guarded = ofDeliveries.some((member) => input[member] !== undefined);
  const by = { clientId: clientOf(actor), readable: guarded ? readable : null };
  const updated = write((sql) => ({
    webhook: updateRow(sql, tenantId, webhookId, columns, change, by),
    secret: secret === undefined ? [] : setSecret(sql, webhookId, secret),
    withHeaders: setHeaders(sql, tenantId, webhookId, headers),
  }));
  const written = await withDomainErrors(withReadableEvents(actor, updated));
  return { ...recordOf(written), ...(made !== undefined && { secret: made }) };
}
