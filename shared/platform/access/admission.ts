// The admission of a caller with a token, in the first statement of its request's first transaction (database/access/admission.sql and
// persons.sql). What was revoked or changed applies with the next transaction.
import { type Fragment, sql } from '../db/sql.ts';
import type { AccessToken, Person } from './access-tokens.ts';

/** What is checked besides that the caller and its token still hold. */
export interface AdmissionChecks {
  /** Requests of the tenant in this minute, if known. More than the plan allows are rejected. */
  used?: number | undefined;
  /** Scopes that the caller must have at this time, whatever its token says. */
  scopes?: { anyOf: readonly string[]; all: readonly string[] | undefined } | undefined;
}

/** An SQL expression whose value is the plan's requests per minute. Raises why the caller is not admitted. */
export const admit = (token: AccessToken, checks: AdmissionChecks): Fragment =>
  token.person ? admitPerson(token, token.person, checks) : admitClient(token, token.clientId, checks);

/** One row by its primary key admits nearly every client. In all other cases `app.admit_client` decides. */
function admitClient(
  { tenantId, tokenId }: Pick<AccessToken, 'tenantId' | 'tokenId'>,
  clientId: string,
  { used = 0, scopes }: AdmissionChecks,
): Fragment {
  return sql`(
    select coalesce(
      (select a.requests_per_minute
       from private.admitted_clients a
       where a.client_id = c.client_id and a.tenant_id = c.tenant_id and a.requests_per_minute >= c.used
         and coalesce(a.tokens_revoked_until < now(), true)
         and (c.any_scope is null or a.scopes && c.any_scope) and (c.every_scope is null or a.scopes @> c.every_scope)),
      app.admit_client(c.tenant_id, c.client_id, c.token_id, c.used, c.any_scope, c.every_scope))
    from (
      select ${tenantId}::uuid as tenant_id, ${clientId}::text as client_id, ${tokenId}::uuid as token_id, ${used}::integer as used,
             ${scopes?.anyOf ?? null}::text[] as any_scope, ${scopes?.all ?? null}::text[] as every_scope
    ) as c
  )`;
}

function admitPerson(
  { tenantId, tokenId }: Pick<AccessToken, 'tenantId' | 'tokenId'>,
  { userId, sessionId, assurance, accessVersion }: Person,
  { used = 0, scopes }: AdmissionChecks,
): Fragment {
  return sql`app.admit_person(
    ${tenantId}, ${userId}, ${sessionId}, ${assurance}, ${accessVersion}, ${tokenId}, ${used},
    ${scopes?.anyOf ?? null}, ${scopes?.all ?? null}
  )`;
}
