// SQL of API keys, OAuth clients and the data of persons. The id of the record that the path names is `recordId`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { recordId, rememberRecord } from '../named/queries.ts';
import { contains, type Page, type Paging, type Shown, selectPage, selectShown } from '../statements.ts';

// API keys --------------------------------------------------------------------------------------------------------------

const keyRecord = (sql: Sql): Fragment => sql`json_build_object(
  'id', r.id, 'label', r.label, 'key_start', r.key_start, 'scopes', r.scopes, 'requests_per_hour', r.requests_per_hour,
  'ip_allowlist', array(select case when masklen(n) = case family(n) when 4 then 32 else 128 end then host(n) else n::text end
                        from unnest(r.ip_allowlist) as n),
  'expires_at', app.format_utc(r.expires_at),
  'state', case when r.revoked_at is not null then 'revoked' when r.expires_at <= now() then 'expired' else 'active' end,
  'last_used_at', app.format_utc(r.last_used_at), 'created_at', app.format_utc(r.created_at))`;

/** Without the hash of the key, which administration may not read. */
const keyRows = (sql: Sql, tenantId: string): Fragment => sql`(
  select k.id, k.label, k.key_start, k.scopes, k.requests_per_hour, k.ip_allowlist, k.expires_at, k.revoked_at, k.last_used_at, k.created_at
  from public.api_keys k where k.tenant_id = ${tenantId}
) as r`;

export const selectKeys = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: keyRows(sql, tenantId),
      where: contains(sql, sql`r.label`, paging),
      record: keyRecord(sql),
      name: sql`r.label collate "und-x-icu"`,
    },
    paging,
  );

export const selectKey = (sql: Sql, tenantId: string): Statement<Shown> =>
  selectShown(
    sql,
    { record: keyRecord(sql), rows: keyRows(sql, tenantId), where: sql`r.id = ${recordId(sql)}` },
    ['last_used_at', 'state'],
  );

/** Finds the key with this id, or the one with this label that is not revoked. */
export const rememberKey = (sql: Sql, tenantId: string, ref: string): Fragment =>
  rememberRecord(
    sql,
    sql`(
      select app.find_by_name('api_key', ${ref}, null, array_agg(k.id::text), array_agg(case when k.revoked_at is null then k.label end), null)
      from public.api_keys k where k.tenant_id = ${tenantId})`,
  );

export const lockKey = (sql: Sql, tenantId: string): Fragment =>
  sql`select id from public.api_keys k where k.tenant_id = ${tenantId} and k.id = ${recordId(sql)} for update`;

const keyWhere = (sql: Sql, tenantId: string, condition: Fragment): Fragment =>
  sql`from public.api_keys k where k.tenant_id = ${tenantId} and k.id = ${recordId(sql)} and ${condition}`;

/** Rejects a key whose scopes, or these besides, the caller lacks. */
export const expectKeyScopes = (sql: Sql, tenantId: string, scopes: readonly string[] = []): Fragment =>
  sql`select app.expect_key_scopes(k.scopes || ${scopes}::text[]) ${keyWhere(sql, tenantId, sql`true`)}`;

export const expectNewKeyScopes = (sql: Sql, scopes: readonly string[]): Fragment =>
  sql`select app.expect_key_scopes(${scopes})`;

/** Raises `key_revoked`. */
export const expectKeyNotRevoked = (sql: Sql, tenantId: string): Fragment =>
  sql`select app.raise_domain_error('key_revoked') ${keyWhere(sql, tenantId, sql`k.revoked_at is not null`)}`;

/** Raises `key_expired`. */
export const expectKeyNotExpired = (sql: Sql, tenantId: string): Fragment =>
  sql`select app.raise_domain_error('key_expired') ${keyWhere(sql, tenantId, sql`k.expires_at <= now()`)}`;

/** The condition that a row `r` is a key that can be used. */
export const isUsable = (sql: Sql): Fragment =>
  sql`r.revoked_at is null and coalesce(r.expires_at > now(), true)`;

/** The condition that a time is later than the one until which the key works. */
export const isLaterThanExpiry = (sql: Sql, tenantId: string, ends: Fragment): Fragment => sql`
  coalesce(${ends}, 'infinity') > (select coalesce(k.expires_at, 'infinity') ${keyWhere(sql, tenantId, sql`true`)})`;

interface KeyMembers {
  label: Fragment | string;
  scopes: Fragment | readonly string[];
  requestsPerHour: Fragment | number;
  allowlist: Fragment;
  expiresAt: Fragment;
}

export const networks = (sql: Sql, list: readonly string[]): Fragment =>
  sql`app.networks_of(${list}::text[])`;

/** In a `from`: remembers an id. */
const rememberedIn = (sql: Sql, id: Fragment): Fragment =>
  sql`set_config('app.record_id', ${id}::text, true)`;

/** Creates a key, whose id is `recordId` from then on. */
export const insertKey = (
  sql: Sql,
  { label, scopes, requestsPerHour, allowlist, expiresAt }: KeyMembers,
): Statement<{ api_key: string }> => sql`
  select n.api_key
  from app.create_api_key(${label}, ${scopes}, ${requestsPerHour}, ${allowlist}, ${expiresAt}) as n, ${rememberedIn(sql, sql`n.id`)}`;

/** Members that do not change are columns of the key `k`. */
export const updateKey = (
  sql: Sql,
  tenantId: string,
  { label, scopes, requestsPerHour, allowlist, expiresAt }: KeyMembers,
): Fragment => sql`
  select app.update_api_key(k.id, ${label}, ${scopes}, ${requestsPerHour}, ${allowlist}, ${expiresAt})
  ${keyWhere(sql, tenantId, sql`true`)}`;

export const revokeKey = (sql: Sql): Fragment => sql`select app.revoke_api_key(${recordId(sql)})`;

/** Replaces the key by a new one, whose id is `recordId` from then on. */
export const rotateKey = (sql: Sql): Statement<{ api_key: string }> => sql`
  select n.api_key from app.rotate_api_key(${recordId(sql)}) as n, ${rememberedIn(sql, sql`n.id`)}`;

// OAuth clients ---------------------------------------------------------------------------------------------------------

const clientRecord = (sql: Sql): Fragment => sql`json_build_object(
  'client_id', r.client_id, 'label', r.label, 'scopes', r.scopes, 'variant', r.variant,
  'user', (select json_build_object('id', u.id, 'email', u.email) from public.users u
           where u.tenant_id = r.tenant_id and u.id = r.user_id),
  'state', case when r.revoked_at is not null then 'revoked' else 'active' end, 'created_at', app.format_utc(r.created_at))`;

export const selectClients = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.oauth_clients r`,
      where: sql`r.tenant_id = ${tenantId} and ${contains(sql, sql`r.label`, paging)}`,
      record: clientRecord(sql),
      name: sql`r.label collate "und-x-icu"`,
    },
    paging,
  );

export const selectClient = (sql: Sql, tenantId: string): Statement<Shown> =>
  selectShown(sql, {
    record: clientRecord(sql),
    rows: sql`public.oauth_clients r`,
    where: sql`r.tenant_id = ${tenantId} and r.id = ${recordId(sql)}`,
  });

/** Finds the client with this client id, or the one with this label that is not revoked. */
export const rememberClient = (sql: Sql, tenantId: string, ref: string): Fragment =>
  rememberRecord(
    sql,
    sql`(
      select c.id from public.oauth_clients c where c.tenant_id = ${tenantId} and c.client_id = (
        select app.find_by_name('client', ${ref}, null, array_agg(n.client_id), array_agg(case when n.revoked_at is null then n.label end), null)
        from public.oauth_clients n where n.tenant_id = ${tenantId}))`,
  );

export const lockClient = (sql: Sql, tenantId: string): Fragment =>
  sql`select id from public.oauth_clients c where c.tenant_id = ${tenantId} and c.id = ${recordId(sql)} for update`;

const clientWhere = (sql: Sql, tenantId: string, condition: Fragment): Fragment =>
  sql`from public.oauth_clients c where c.tenant_id = ${tenantId} and c.id = ${recordId(sql)} and ${condition}`;

/** Rejects a client whose scopes, or these besides, the caller lacks. */
export const expectClientScopes = (sql: Sql, tenantId: string, scopes: readonly string[] = []): Fragment =>
  sql`select app.expect_own_scopes(c.scopes || ${scopes}::text[], 'scope_not_own') ${clientWhere(sql, tenantId, sql`true`)}`;

export const expectNewClientScopes = (sql: Sql, scopes: readonly string[]): Fragment =>
  sql`select app.expect_own_scopes(${scopes}, 'scope_not_own')`;

/** Raises `client_revoked`. */
export const expectClientNotRevoked = (sql: Sql, tenantId: string): Fragment =>
  sql`select app.raise_domain_error('client_revoked') ${clientWhere(sql, tenantId, sql`c.revoked_at is not null`)}`;

/** Raises `own_scope_removed` if the caller takes a scope from itself. It grants only what it has, so it could not give it back. */
export const expectOwnScopesStay = (
  sql: Sql,
  tenantId: string,
  callerId: string | null,
  scopes: readonly string[],
): Fragment => sql`
  select app.raise_domain_error('own_scope_removed')
  ${clientWhere(sql, tenantId, sql`c.client_id = ${callerId} and not c.scopes <@ ${scopes}::text[]`)}`;

interface ClientMembers {
  label: Fragment | string;
  scopes: Fragment | readonly string[];
  variant: Fragment | string;
  user: Fragment;
}

/** The id of a user (id or email address); null for null. The caller must be able to read users. */
export const userId = (sql: Sql, ref: string | null): Fragment =>
  ref === null ? sql`null::uuid` : sql`app.find_user(${ref}, 'user')`;

/** Creates a client, for `rememberNewClient`. */
export const insertClient = (
  sql: Sql,
  { label, scopes, variant, user }: ClientMembers,
): Statement<{ client_secret: string }> => sql`
  select n.client_secret
  from app.create_client(${label}, ${scopes}, ${variant}, ${user}) as n, ${rememberedIn(sql, sql`n.client_id`)}`;

/** After `insertClient`: the id of the client is `recordId` from then on. */
export const rememberNewClient = (sql: Sql, tenantId: string): Fragment =>
  rememberRecord(
    sql,
    sql`(select c.id from public.oauth_clients c where c.tenant_id = ${tenantId} and c.client_id = current_setting('app.record_id'))`,
  );

/** Members that do not change are columns of the client `c`. */
export const updateClient = (
  sql: Sql,
  tenantId: string,
  { label, scopes, variant, user }: ClientMembers,
): Fragment => sql`
  select app.update_client(c.id, ${label}, ${scopes}, ${variant}, ${user}) ${clientWhere(sql, tenantId, sql`true`)}`;

export const revokeClient = (sql: Sql): Fragment => sql`select app.revoke_client(${recordId(sql)})`;

export const rotateSecret = (sql: Sql): Statement<{ client_secret: string }> =>
  sql`select app.rotate_client_secret(${recordId(sql)}) as client_secret`;

// Persons ---------------------------------------------------------------------------------------------------------------

type PersonRow = { record: Record<string, unknown> };

export const exportPerson = (sql: Sql, email: string): Statement<PersonRow> =>
  sql`select app.export_person(${email}) as record`;

export const erasePerson = (sql: Sql, email: string): Statement<PersonRow> =>
  sql`select app.erase_person(${email}) as record`;
