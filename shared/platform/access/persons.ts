// Persons at the token endpoint: the workspaces that an account of Auth may choose, and the revocation of their tokens.
import type { Database } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import type { AccessToken, Person, TokenSubject } from './access-tokens.ts';
import { type AuthSession, invalidSubject } from './auth-tokens.ts';
import { rejectClosedTenant, type TenantLocation } from './tenant-moves.ts';

interface WorkspaceRow extends TenantLocation {
  /** What is wrong with the account or its session; empty if nothing. The other columns are then null. */
  fault: string;
  tenant_id: string;
  slug: string;
  name: string;
  user_id: string;
  scopes: string[];
  access_version: number;
  plan: string;
  requests_per_minute: number;
  require_mfa: boolean;
}

/** A person in the workspace that they chose. */
export interface SignedIn {
  subject: TokenSubject;
  tenant: { id: string; slug: string; name: string };
}

/**
 * Finds the person of a session in a workspace, by slug or id, or the only one that the person may choose. Throws 400 if there is none or the
 * workspace needs a second factor, and 421 or 503 if it moves.
 */
export async function signIn(
  database: Database,
  { accountId, sessionId, assurance }: AuthSession,
  tenant: string | undefined,
): Promise<SignedIn> {
  const rows = await database.asLogin<WorkspaceRow>(
    'writes',
    (sql) => sql`select * from app.workspaces_of_account(${accountId}, ${sessionId})`,
  );
  const [first] = rows;
  if (first && first.fault !== '') throw invalidSubject(first.fault);
  if (!first) throw refused('not_a_member', 'Nobody has given this account access to a workspace.');
  const chosen =
    tenant === undefined ? first : rows.find(({ tenant_id: id, slug }) => tenant === id || tenant === slug);
  if (!chosen) throw invalidTenant('workspace_unknown', 'This is not one of your workspaces.', rows);
  if (tenant === undefined && rows.length > 1)
    throw invalidTenant('workspace_needed', 'Choose one of your workspaces with the parameter tenant.', rows);
  rejectClosedTenant(chosen);
  if (chosen.require_mfa && assurance !== 'aal2')
    throw refused(
      'mfa_required',
      'This workspace requires a second factor. Verify one at Auth, and exchange the new token.',
    );
  const { tenant_id: id, slug, name } = chosen;
  return {
    tenant: { id, slug, name },
    subject: {
      person: { userId: chosen.user_id, sessionId, assurance, accessVersion: chosen.access_version },
      tenantId: id,
      scopes: chosen.scopes,
      plan: chosen.plan,
      requestsPerMinute: chosen.requests_per_minute,
      variant: 'a',
    },
  };
}

const refused = (reason: string, message: string) =>
  new ApiError('validation', message, { reason, extra: { reason } });

const invalidTenant = (reason: string, message: string, rows: WorkspaceRow[]) =>
  new ApiError('invalid_target', message, {
    reason,
    extra: { reason, workspaces: rows.map(({ slug, name }) => ({ slug, name })) },
  });

/** Revokes a person's token, effective from the next request. */
export async function revokePersonToken(
  database: Database,
  { tenantId, tokenId, expiresAt }: AccessToken,
  { userId }: Person,
): Promise<void> {
  await database.asLogin(
    'writes',
    (sql) => sql`select app.revoke_person_token(${tenantId}, ${userId}, ${tokenId}, ${expiresAt})`,
  );
}
