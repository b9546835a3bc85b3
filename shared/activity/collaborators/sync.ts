// Registering collaborators. SQL of the table `collaborators`.
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { detailsOf } from '../../platform/zod-issues.ts';
import { type Collaborator, collaboratorSchema } from '../schemas.ts';

export interface CollaboratorResult {
  created: number;
  existing: number;
  errors: string[];
  total: number;
}

/** Creates or updates collaborators by e-mail, all in one transaction. Invalid items are reported and stop nothing. */
export async function syncCollaborators(context: Context, items: unknown[]): Promise<CollaboratorResult> {
  const errors: string[] = [];
  const valid: Collaborator[] = [];
  for (const item of items) {
    const result = collaboratorSchema.safeParse(item);
    if (result.success) valid.push(result.data);
    else {
      const reasons = detailsOf(result.error, '').map(({ field, message }) => `${field} ${message}`.trim());
      errors.push(
        `Collaborator ${label(item, 'external_id')} (${label(item, 'email')}): ${reasons.join('; ')}`,
      );
    }
  }
  const merged = mergeByEmail(valid);
  const [rows] = await context.write((sql) => [upsertCollaborators(sql, context.tenantId, merged)]);
  const { created } = oneRow<{ created: number }>(rows);
  return { created, existing: valid.length - created, errors, total: items.length };
}

/** Longest part of a caller's value that is repeated in a message. */
const MAX_LABEL_LENGTH = 1000;

function label(item: unknown, member: 'external_id' | 'email'): string {
  const value =
    typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[member] : undefined;
  return typeof value === 'string' && value.trim() !== ''
    ? value.slice(0, MAX_LABEL_LENGTH).toWellFormed()
    : '-';
}

/** Items of one e-mail become one: members that a later item has win, those it leaves out stay. */
function mergeByEmail(collaborators: Collaborator[]): Record<string, Collaborator> {
  const byEmail = new Map<string, Collaborator>();
  for (const collaborator of collaborators) {
    byEmail.set(collaborator.email, { ...byEmail.get(collaborator.email), ...collaborator });
  }
  return Object.fromEntries(byEmail);
}

/**
 * One statement whatever the number. Whether a member was sent at all is looked up in the parameter by e-mail, since
 * `excluded` cannot tell an absent member from a null one.
 */
export function upsertCollaborators(
  sql: Sql,
  tenantId: string,
  byEmail: Record<string, Collaborator>,
): Statement {
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
