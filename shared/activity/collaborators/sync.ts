// Registers a batch of collaborators, identified by email address.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { upsertCollaborators } from './queries.ts';
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
