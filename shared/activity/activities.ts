// Activities of activity sync (the table `activities`, not shared/records/activities): validates a batch, in which one invalid item rejects
// all, and records it, skipping duplicates.
import { z } from 'zod';
import type { Context } from '../platform/access/context.ts';
import type { Sql, Statement } from '../platform/db/database.ts';
// Not from database.ts, which the command line would bundle with the schemas.
import { oneRow } from '../platform/db/row.ts';
import { ApiError, type ErrorDetail, issueDetails } from '../platform/errors.ts';
import { email, instant, jsonObject, text } from '../platform/validation.ts';

export const MAX_ACTIVITIES = 1000;
/** Maximum size of an activity's `data`, in bytes of compact JSON. */
const MAX_DATA_BYTES = 16 * 1024;
/** Earlier times are those that other systems write for "none", such as 0001-01-01. */
const EARLIEST = '2000';
const DAY_MS = 24 * 60 * 60 * 1000;

export const activitySchema = z
  .object(
    {
      activity_code: text()
        .regex(/^(?:00[1-9]|0[1-9][0-9]|[1-9][0-9]{2})$/, {
          error: 'must be exactly 3 digits, 001 through 999',
        })
        .describe('001 through 999. Admins decide which mission each code counts toward.'),
      external_id: text({ maxLength: 255, filled: true, opaque: true }).describe(
        'Deduplication key, unique per tenant.',
      ),
      collaborator_email: email.describe('Email address of the collaborator who did the activity.'),
      data: jsonObject(MAX_DATA_BYTES)
        .nullish()
        .meta({ type: ['object', 'null'], description: 'Free-form object, at most 16 KiB.' }),
      occurred_at: instant
        .superRefine((value, ctx) => {
          const message =
            value < EARLIEST
              ? 'must not be before the year 2000'
              : Date.parse(value) > Date.now() + DAY_MS
                ? 'must not be more than a day in the future'
                : undefined;
          if (message) ctx.addIssue({ code: 'custom', message });
        })
        .nullish()
        .meta({
          type: ['string', 'null'],
          description:
            'When the activity happened: from the year 2000 to a day in the future. Defaults to the time of receipt.',
        }),
    },
    { error: 'must be an object' },
  )
  .meta({ id: 'Activity' });

export type Activity = z.output<typeof activitySchema>;

/** An item that was not recorded. The caller can send it again. */
export const skippedItemSchema = z
  .object({
    index: z.int().min(0).describe('Zero-based position in the batch.'),
    external_id: z.string(),
    reason: z
      .enum(['collaborator_not_registered'])
      .describe('Why the item was skipped. More reasons may be added.'),
  })
  .meta({ id: 'SkippedItem' });

type SkippedItem = z.output<typeof skippedItemSchema>;

/** A duplicate that says something else than the recorded activity, which stays as it is. */
export const duplicateItemSchema = z
  .object({
    index: z.int().min(0).describe('Zero-based position in the batch.'),
    external_id: z.string(),
    reason: z.enum(['content_differs']).describe('More reasons may be added.'),
  })
  .meta({ id: 'DuplicateItem' });

type DuplicateItem = z.output<typeof duplicateItemSchema>;

/** Throws `validation` with every invalid field of every item. */
export function parseActivities(items: unknown[]): Activity[] {
  const details: ErrorDetail[] = [];
  const activities: Activity[] = [];
  items.forEach((item, index) => {
    const result = activitySchema.safeParse(item);
    if (result.success) activities.push(result.data);
    else details.push(...issueDetails(result.error, 'activities').map((detail) => ({ index, ...detail })));
  });
  if (details.length === 0) return activities;
  const invalidCount = new Set(details.map(({ index }) => index)).size;
  const message = `${invalidCount} of ${items.length} activities are invalid. No activities were recorded.`;
  throw new ApiError('validation', message, { details });
}

export interface ActivityResult {
  processed: number;
  skipped: number;
  skipped_items: SkippedItem[];
  duplicates: number;
  duplicate_items: DuplicateItem[];
  unmapped: number;
  errors: string[];
  total: number;
}

/** Records the activities in one transaction. Activities of unregistered collaborators are skipped and can be sent again. */
export async function syncActivities(context: Context, activities: Activity[]): Promise<ActivityResult> {
  const rows = await context.write((sql) => insertActivities(sql, context.tenantId, activities));
  const { processed, skipped, skipped_items, duplicate_items, unmapped, registered } = oneRow(rows);
  return {
    processed,
    skipped,
    skipped_items,
    duplicates: registered - processed,
    duplicate_items,
    unmapped,
    errors: [],
    total: activities.length,
  };
}

interface RecordedCounts {
  processed: number;
  /** Number of activities whose collaborator is not registered. */
  skipped: number;
  skipped_items: SkippedItem[];
  duplicate_items: DuplicateItem[];
  /** Number of recorded activities whose code has no mission. */
  unmapped: number;
  /** Number of activities whose collaborator is registered, duplicates included. */
  registered: number;
}

/**
 * Inserts all activities with one statement. Rows are inserted in the order of `external_id`, so that parallel batches with the same
 * activities wait for each other instead of deadlocking. If a batch contains an activity twice, the first one is kept.
 */
export function insertActivities(
  sql: Sql,
  tenantId: string,
  activities: Activity[],
): Statement<RecordedCounts> {
  return sql`
    with item as (
      select i.*, c.id as collaborator_id
      from rows from (jsonb_to_recordset(${JSON.stringify(activities)}::jsonb) as (
        activity_code text, external_id text, collaborator_email text, data jsonb, occurred_at timestamptz
      )) with ordinality as i (activity_code, external_id, collaborator_email, data, occurred_at, index)
      left join public.collaborators c on c.tenant_id = ${tenantId} and c.email = i.collaborator_email
    ), recorded as (
      insert into public.activities (tenant_id, external_id, activity_code, collaborator_id, data, occurred_at)
      select distinct on (external_id)
             ${tenantId}::uuid, external_id, activity_code, collaborator_id, data, coalesce(occurred_at, now())
      from item
      where collaborator_id is not null
        -- Only ids that can contain an email address are ever replaced by an erasure.
        and not (external_id ~ '[@%\\\\]' and exists (
          select from public.activities a
          where a.tenant_id = ${tenantId} and a.external_id = app.erased_external_id(item.external_id)))
      order by external_id, index
      on conflict (tenant_id, external_id) do nothing
      returning external_id, activity_code
    ), registered as (
      select *, row_number() over (partition by external_id order by index) as nth from item where collaborator_id is not null
    ), duplicate as materialized (
      select i.* from registered i
      where i.nth > 1 or not exists (select from recorded r where r.external_id = i.external_id)
    ), different as (
      -- The first one is recorded before this batch, or by it.
      select i.index, i.external_id
      from duplicate i
      left join public.activities a on a.tenant_id = ${tenantId} and a.external_id = i.external_id
      left join registered f on f.external_id = i.external_id and f.nth = 1
      where case when a.id is null
              then (f.activity_code, f.collaborator_id, f.data) is distinct from (i.activity_code, i.collaborator_id, i.data)
              else (a.activity_code, a.collaborator_id, a.data) is distinct from (i.activity_code, i.collaborator_id, i.data)
            end
         or coalesce(a.occurred_at, f.occurred_at) <> i.occurred_at
    )
    select (select count(*) from recorded)::integer                       as processed,
           count(*) filter (where collaborator_id is null)::integer     as skipped,
           coalesce(
             jsonb_agg(
               jsonb_build_object('index', index - 1, 'external_id', external_id, 'reason', 'collaborator_not_registered')
               order by index
             ) filter (where collaborator_id is null), '[]'
           )                                                            as skipped_items,
           (select coalesce(
              jsonb_agg(
                jsonb_build_object('index', index - 1, 'external_id', external_id, 'reason', 'content_differs') order by index
              ), '[]') from different)                                  as duplicate_items,
           (select count(*) from recorded r
            where not exists (select from public.mission_codes m where m.tenant_id = ${tenantId} and m.code = r.activity_code)
           )::integer                                                   as unmapped,
           count(*) filter (where collaborator_id is not null)::integer as registered
    from item`;
}
