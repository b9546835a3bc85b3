// Registers a batch of collaborators, identified by email address.

import type { Context } from '../../platform/access/context.ts';
import { oneRow, type Sql, type Statement } from '../../platform/db/database.ts';
import type { Collaborator, CollaboratorBatch } from './schema.ts';

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
  const rows = await context.write((sql) => upsertCollaborators(sql, context.tenantId, merged));
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
 * Inserts or updates all collaborators with one statement. It looks up in the parameter whether a member was sent, because `excluded`
 * does not distinguish an absent member from a null one.
 */
export function upsertCollaborators(
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
