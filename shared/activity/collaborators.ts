// Collaborators of activity sync, identified by email address, or by `external_id` after their address has changed: validates a batch item
// by item, so that an invalid item is reported and the others are processed, and inserts or updates them.
import { z } from 'zod';
import type { Context } from '../platform/access/context.ts';
import type { Sql, Statement } from '../platform/db/database.ts';
// Not from database.ts, which the command line would bundle with the schemas.
import { oneRow } from '../platform/db/row.ts';
import { issueDetails } from '../platform/errors.ts';
import { email, jsonObject, text } from '../platform/validation.ts';

export const MAX_COLLABORATORS = 500;
/** Maximum size of a collaborator's `metadata`, in bytes of compact JSON. */
const MAX_METADATA_BYTES = 16 * 1024;

export const collaboratorSchema = z
  .object(
    {
      external_id: text({ maxLength: 255, filled: true, opaque: true }).describe(
        "Id in the caller's system.",
      ),
      name: text({ maxLength: 255, filled: true }).describe('Full name.'),
      email: email.describe(
        'Identifies the collaborator, also of an activity. Not case-sensitive. An unknown address with a known external_id is the new address of that collaborator.',
      ),
      phone: text({ maxLength: 255 }).nullish().describe('Any format.'),
      document: text({ maxLength: 20 })
        .nullish()
        .describe('Identity document, for example a national tax id.'),
      team: text({ maxLength: 100 }).nullish().describe('Team name.'),
      role: text({ maxLength: 50 }).nullish().describe("Role in the caller's organization."),
      metadata: jsonObject(MAX_METADATA_BYTES)
        .nullish()
        .meta({
          type: ['object', 'null'],
          description: 'Free-form object, at most 16 KiB. An update replaces it completely.',
        }),
    },
    { error: 'must be an object' },
  )
  .meta({ id: 'Collaborator' });

export type Collaborator = z.output<typeof collaboratorSchema>;

interface CollaboratorBatch {
  valid: Collaborator[];
  /** One message for each invalid item. */
  errors: string[];
}

/** Splits the items into valid collaborators and error messages about the others. */
export function parseCollaborators(items: unknown[]): CollaboratorBatch {
  const batch: CollaboratorBatch = { valid: [], errors: [] };
  for (const item of items) {
    const result = collaboratorSchema.safeParse(item);
    if (result.success) batch.valid.push(result.data);
    else {
      const reasons = issueDetails(result.error, '').map(({ field, message }) =>
        `${field} ${message}`.trim(),
      );
      const who = `Collaborator ${label(item, 'external_id')} (${label(item, 'email')})`;
      batch.errors.push(`${who}: ${reasons.join('; ')}`);
    }
  }
  return batch;
}

/** Maximum length of a caller's value in an error message. */
const MAX_LABEL_LENGTH = 1000;

function label(item: unknown, member: 'external_id' | 'email'): string {
  const members: { external_id?: unknown; email?: unknown } =
    typeof item === 'object' && item !== null ? item : {};
  const value = members[member];
  return typeof value === 'string' && value.trim() !== ''
    ? value.slice(0, MAX_LABEL_LENGTH).toWellFormed()
    : '-';
}

export interface CollaboratorResult {
  created: number;
  existing: number;
  errors: string[];
  total: number;
}

/** Creates or updates the valid collaborators in one transaction. */
export async function syncCollaborators(
  context: Context,
  { valid, errors }: CollaboratorBatch,
): Promise<CollaboratorResult> {
  const merged = mergeByEmail(valid);
  const [, rows] = await context.write((sql) => [
    correctAddresses(sql, context.tenantId, merged),
    upsertCollaborators(sql, context.tenantId, merged),
  ]);
  const { created } = oneRow(rows);
  return { created, existing: valid.length - created, errors, total: valid.length + errors.length };
}

/** Merges items with the same email address. Members of later items override those of earlier ones. */
function mergeByEmail(collaborators: Collaborator[]): Record<string, Collaborator> {
  const byEmail = new Map<string, Collaborator>();
  for (const collaborator of collaborators) {
    byEmail.set(collaborator.email, { ...byEmail.get(collaborator.email), ...collaborator });
  }
  return Object.fromEntries(byEmail);
}

/**
 * Gives collaborators whose address changed in the external system their new one, so that they keep their points: those whose
 * `external_id` comes with an unknown address, while no other collaborator and no other item of the batch has this id. Erased
 * collaborators stay erased.
 */
function correctAddresses(sql: Sql, tenantId: string, byEmail: Record<string, Collaborator>): Statement {
  const items = JSON.stringify(byEmail);
  return sql`
    with item as materialized (
      select email, value ->> 'external_id' as external_id,
             count(*) over (partition by value ->> 'external_id') as items
      from jsonb_each(${items}::jsonb) as i (email, value)
    ), unknown as materialized (
      select i.email, i.external_id from item i
      where i.items = 1 and not exists (
        select from public.collaborators k where k.tenant_id = ${tenantId}::uuid and k.email = i.email)
    )
    update public.collaborators c set email = u.email
    from unknown u
    where c.tenant_id = ${tenantId}::uuid and c.external_id = u.external_id and c.email not like 'erased-%@erased.invalid'
      and not exists (
        select from public.collaborators o
        where o.tenant_id = c.tenant_id and o.external_id = c.external_id and o.id <> c.id)`;
}

/**
 * Inserts or updates all collaborators with one statement. It looks up in the parameter whether a member was sent, because `excluded`
 * does not distinguish an absent member from a null one.
 */
function upsertCollaborators(
  sql: Sql,
  tenantId: string,
  byEmail: Record<string, Collaborator>,
): Statement<{ created: number }> {
  const items = JSON.stringify(byEmail);
  return sql`
    with upserted as (
      insert into public.collaborators as c
        (tenant_id, external_id, name, email, phone, document, team, role, metadata)
      select ${tenantId}::uuid, i.external_id, i.name, email, i.phone, i.document, i.team, i.role, i.metadata
      from jsonb_each(${items}::jsonb) as item (email, value),
           jsonb_to_record(value) as i
             (external_id text, name text, phone text, document text, team text, role text, metadata jsonb)
      order by email
      on conflict (tenant_id, email) do update set
        external_id = excluded.external_id,
        name        = excluded.name,
        phone       = case when ${items}::jsonb -> excluded.email ? 'phone'    then excluded.phone    else c.phone    end,
        document    = case when ${items}::jsonb -> excluded.email ? 'document' then excluded.document else c.document end,
        team        = case when ${items}::jsonb -> excluded.email ? 'team'     then excluded.team     else c.team     end,
        role        = case when ${items}::jsonb -> excluded.email ? 'role'     then excluded.role     else c.role     end,
        metadata    = case when ${items}::jsonb -> excluded.email ? 'metadata' then excluded.metadata else c.metadata end
      returning xmax = 0 as is_new
    )
    select count(*) filter (where is_new)::integer as created from upserted`;
}
