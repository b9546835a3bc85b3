import { randomUUID } from 'node:crypto';
import { type Context, clientOf, type NamingVariant } from '../../platform/context.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { checkUrl, type DestinationRules } from '../../webhooks/management/check-url.ts';
import { narrowingColumns, withDefaults } from '../../webhooks/management/narrowing.ts';
import {
  insertWebhook,
  recordOf,
  setHeaders,
  setSecret,
  setSigningKey,
  type WebhookRecord,
} from '../../webhooks/management/queries.ts';
import { generateSecret } from '../../webhooks/signatures.ts';
import { generateSigningKey } from '../../webhooks/signing-keys.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { requireReadable } from './event-scopes.ts';
import { recordsNarrowing } from './narrowing.ts';
import { GENERATE, type NewWebhook, newWebhook } from './schema.ts';

const columns = [...columnsOf(newWebhook({ eventTypes: {} }), 'secret', 'headers'), ...narrowingColumns];

/**
 * Deliveries are in the names of `variant`. Throws `validation` for an address that is not allowed, `conflict` for one
 * that has a webhook with the same events, `unprocessable` where the plan has no room,
 * `insufficient_scope` for events whose data the actor may not read.
 */
export async function createWebhook(
  { write, tenantId, actor }: Context,
  { secret: asked, headers, ...input }: NewWebhook,
  variant: NamingVariant,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  requireReadable(actor, input.events);
  await checkUrl(input.url, rules);
  const clientId = clientOf(actor);
  const secret = asked === GENERATE ? generateSecret() : asked;
  const id = randomUUID();
  const key = generateSigningKey();
  const by = { id, variant, clientId, publicKey: key.publicKey };
  const webhook = withDefaults(input, recordsNarrowing);
  const written = await withDomainErrors(
    write((sql) => ({
      webhook: insertWebhook(sql, tenantId, by, columns, webhook),
      key: setSigningKey(sql, id, key),
      secret: secret ? setSecret(sql, id, secret) : [],
      withHeaders: setHeaders(sql, tenantId, id, headers),
    })),
  );
  return { ...recordOf(written), ...(secret && { secret }) };
}
