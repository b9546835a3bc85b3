// Versions of the webhooks of payments, and conditions on them.
import { entityTagOf } from '../../../shared/administration/entity-tag.ts';
import { getWebhook } from '../../../shared/payments/webhooks/reads.ts';
import { serializeWebhook } from '../../../shared/payments/webhooks/serialize.ts';
import type { Context } from '../../../shared/platform/access/context.ts';
import type { EntityTags } from '../../../shared/platform/entity-tags.ts';
import type { ApiError } from '../../../shared/platform/errors.ts';
import { isUuid } from '../../../shared/platform/uuid.ts';
import { recordChanged, versionOf, withPrecondition } from '../../../shared/records/versions.ts';
import type { WebhookRecord } from '../../../shared/webhooks/management/queries.ts';
import { webhookError } from '../../../shared/webhooks/management/webhook-errors.ts';

/** The id of a webhook in a path. Throws 404. */
export function idIn(id: string): string {
  if (isUuid(id)) return id.toLowerCase();
  throw webhookError('webhook_missing');
}

/** The versions of `If-Match`, which the request has as JSON. */
const tagsIn = (versions: string | null): EntityTags | undefined =>
  versions === null ? undefined : (JSON.parse(versions) as EntityTags);

/** Runs work on the webhook if it has one of the versions of `If-Match`. Throws `precondition_failed`. */
export function ifUnchanged<T>(
  context: Context,
  { params, versions }: { params: { webhook_id: string }; versions: string | null },
  work: (context: Context, id: string) => Promise<T>,
): Promise<T> {
  const id = idIn(params.webhook_id);
  const tags = tagsIn(versions);
  if (tags === undefined) return work(context, id);
  const read = (readContext: Context) => getWebhook(readContext, id);
  return withPrecondition<WebhookRecord, T>(
    context,
    { resource: 'webhook', id, tags, read, refuse: changed },
    (guarded) => work(guarded, id),
  );
}

/** The 412 error with the current webhook. */
function changed(record: WebhookRecord): ApiError {
  const current = serializeWebhook(record);
  return recordChanged(current, { ETag: entityTagOf(versionOf(record), current) });
}
