// Errors for callers of a tenant that is moving or has moved to another project (docs/operations/moving-a-tenant.md).

import { sha256Hex } from '../crypto.ts';
import { type Database, type Sql, type Statement, WORKER_SESSION } from '../db/database.ts';
import { ApiError } from '../errors.ts';

/** Whether the tenant of a credential is served by this project. */
export interface TenantLocation {
  /** Whether the tenant has moved, or is not open here yet. */
  closed: boolean;
  /** `FUNCTIONS_URL` of the project that serves the tenant; null if it has not moved. */
  moved_to: string | null;
}

/** Throws 421 with the new address, or 503. Only for callers with valid credentials. */
export function rejectClosedTenant({ closed, moved_to: movedTo }: TenantLocation): void {
  if (movedTo) throw tenantMoved(movedTo);
  if (closed) throw tenantMoving();
}

/** The 421 for a caller of a tenant that has moved. Not a redirect, because HTTP clients drop `Authorization` when they follow one. */
export function tenantMoved(movedTo: string): ApiError {
  return new ApiError('tenant_moved', `This workspace has moved. Send requests to ${movedTo}.`, {
    extra: { moved_to: movedTo },
    headers: { Link: `<${movedTo}>; rel="successor-version"`, 'Cache-Control': 'no-store' },
    reason: 'tenant_moved',
  });
}

const tenantMoving = (): ApiError =>
  new ApiError('unavailable', 'This workspace is being moved. Nothing was done; please retry.', {
    effect: 'none',
    retryAfterSeconds: 5,
    reason: 'tenant_moving',
  });

/** Format of the tokens of files and invitations. */
const TOKEN = /^[0-9A-Za-z]{32,40}$/;

/** Links that work without a credential. Names are ids of accounts, or tokens. */
type LinkKind = 'file' | 'invitation' | 'provider_account';

/** Returns the `FUNCTIONS_URL` of the project that serves the link now; undefined if its tenant has not moved. */
export async function findMovedLink(
  database: Database,
  kind: LinkKind,
  name: string,
): Promise<string | undefined> {
  const key = kind === 'provider_account' ? name : sha256Hex(name);
  const [row] = await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    selectMovedLink(sql, kind, key),
  );
  return row?.moved_to ?? undefined;
}

const selectMovedLink = (sql: Sql, kind: LinkKind, key: string): Statement<{ moved_to: string | null }> =>
  sql`select app.moved_link(${kind}, ${key}) as moved_to`;

/** Throws 308 if the link's tenant has moved. `path` begins with the function's name and has the query. */
export async function redirectMovedLink(
  database: Database,
  link: { kind: LinkKind; token: string },
  path: string,
): Promise<void> {
  // Other values are no tokens and are not sent to Postgres.
  if (!TOKEN.test(link.token)) return;
  const movedTo = await findMovedLink(database, link.kind, link.token);
  if (movedTo === undefined) return;
  throw new ApiError('moved_permanently', 'This link has moved.', {
    headers: { Location: movedTo + path, 'Cache-Control': 'no-store' },
    reason: 'tenant_moved',
  });
}
