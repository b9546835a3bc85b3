// What a Supabase project on Postgres 17 grants before the first migration. Source: the repository supabase/postgres, in its state of
// October 2026: migrations/db/init-scripts, migrations/db/migrations, nix/tests/expected/{roles,z_17_roles,auth,storage,vault,realtime}.out
// and ansible/files/postgresql_extension_custom_scripts/supabase_vault. Only what the local platform has is listed: extensions that it lacks
// and their schemas are missing.
//
// Privileges are written as Postgres shows them (https://www.postgresql.org/docs/17/ddl-priv.html): `grantee=letters`, where `*` follows what
// the grantee may grant, and the grantee is empty for everyone. The owner's own privileges are left out.

export const ROLES: Record<string, string> = {
  anon: 'inherit',
  authenticated: 'inherit',
  authenticator: 'login',
  dashboard_user: 'inherit createrole createdb replication',
  pgbouncer: 'inherit login',
  postgres: 'inherit login createrole createdb replication bypassrls',
  service_role: 'inherit bypassrls',
  supabase_admin: 'inherit login superuser createrole createdb replication bypassrls',
  supabase_auth_admin: 'login',
  supabase_etl_admin: 'inherit login replication',
  supabase_functions_admin: 'login createrole',
  supabase_privileged_role: 'inherit',
  supabase_read_only_user: 'inherit login bypassrls',
  supabase_realtime_admin: 'login createrole replication',
  supabase_replication_admin: 'inherit login replication',
  supabase_storage_admin: 'login createrole',
};

/** `*`: the member may grant the role. */
export const MEMBERSHIPS: Record<string, string> = {
  authenticator: 'anon authenticated service_role',
  postgres:
    'anon* authenticated* authenticator* pg_create_subscription pg_monitor* pg_read_all_data* pg_signal_backend* service_role* ' +
    'supabase_privileged_role',
  supabase_etl_admin: 'pg_read_all_data supabase_privileged_role',
  supabase_read_only_user: 'pg_read_all_data',
  supabase_storage_admin: 'authenticator',
};

/** Without the libraries that connections of these roles load there. */
export const ROLE_SETTINGS: Record<string, string> = {
  anon: 'statement_timeout=3s',
  authenticated: 'statement_timeout=8s',
  authenticator: 'lock_timeout=8s statement_timeout=8s',
  postgres: String.raw`search_path="\$user", public, extensions`,
  supabase_auth_admin: 'idle_in_transaction_session_timeout=60000 search_path=auth',
  supabase_realtime_admin: 'search_path=realtime',
  supabase_storage_admin: 'search_path=storage',
};

/** Settings of the server: ansible/files/postgresql_config and docker/all-in-one/etc/postgresql-custom. */
export const SERVER_SETTINGS: Record<string, string> = {
  extra_float_digits: '0',
  jit: 'off',
  lock_timeout: '0',
  row_security: 'on',
  search_path: '"$user", public',
  session_replication_role: 'origin',
  statement_timeout: '2min',
  TimeZone: 'UTC',
};

/** supautils.privileged_role_allowed_configs, which allows SET; here, privileges stand for it. */
export const PARAMETERS: Record<string, string> = {
  log_min_messages: 'postgres=s',
  session_replication_role: 'postgres=s',
};

/** The names of kinds are those of `acldefault`. */
export const OBJECTS: Record<string, { owner: string; privileges: string }> = {
  'd postgres': { owner: 'postgres', privileges: '=Tc dashboard_user=CTc supabase_auth_admin=C' },
  'n auth': {
    owner: 'supabase_admin',
    privileges: 'anon=U authenticated=U dashboard_user=UC postgres=U service_role=U supabase_auth_admin=UC',
  },
  'n extensions': {
    owner: 'postgres',
    privileges: 'anon=U authenticated=U dashboard_user=UC service_role=U',
  },
  'n graphql_public': {
    owner: 'supabase_admin',
    privileges: 'anon=U authenticated=U postgres=U* service_role=U',
  },
  'n net': {
    owner: 'supabase_admin',
    privileges: 'anon=U authenticated=U postgres=U service_role=U supabase_functions_admin=U',
  },
  'n pgbouncer': { owner: 'supabase_admin', privileges: '' },
  'n public': {
    owner: 'pg_database_owner',
    privileges: '=U anon=U authenticated=U postgres=U service_role=U',
  },
  'n realtime': {
    owner: 'supabase_admin',
    privileges: 'anon=U authenticated=U postgres=U* service_role=U supabase_realtime_admin=U*C*',
  },
  'n storage': {
    owner: 'supabase_admin',
    privileges:
      'anon=U authenticated=U dashboard_user=UC postgres=U* service_role=U supabase_storage_admin=UC',
  },
  'n vault': { owner: 'supabase_admin', privileges: 'postgres=U* service_role=U' },
  'r auth.*': { owner: 'supabase_auth_admin', privileges: 'dashboard_user=arwdDxtm postgres=arwdDxtm' },
  'S auth.*': { owner: 'supabase_auth_admin', privileges: 'dashboard_user=rwU postgres=rwU' },
  'r storage.*': {
    owner: 'supabase_storage_admin',
    privileges: 'anon=arwdDxtm authenticated=arwdDxtm postgres=a*r*w*d*D*x*t*m* service_role=arwdDxtm',
  },
  'r vault.*': { owner: 'supabase_admin', privileges: 'postgres=r*d* service_role=rd' },
  'f auth.*': { owner: 'supabase_auth_admin', privileges: '=X dashboard_user=X postgres=X' },
  'f extensions.*': { owner: 'supabase_admin', privileges: '=X dashboard_user=X postgres=X*' },
  'f storage.*': { owner: 'supabase_storage_admin', privileges: '=X' },
  'f vault.*': { owner: 'supabase_admin', privileges: 'postgres=X* service_role=X' },
  // The extension pg_net also grants its tables, and its functions run with the caller's privileges.
  'f net.*': { owner: 'supabase_admin', privileges: '=X' },
  'r net.*': { owner: 'supabase_admin', privileges: '=arwdDxtm' },
};

const TO_API_ROLES = ['anon', 'authenticated', 'postgres', 'service_role'];
const TO_OPERATORS = ['dashboard_user', 'postgres'];

/** Who gets all privileges on what a role creates in a schema: `r` tables, `f` functions, `S` sequences. */
export const DEFAULT_PRIVILEGES: Record<string, { grantees: string[]; grantable?: boolean }> = {
  'postgres in public': { grantees: TO_API_ROLES },
  'postgres in storage': { grantees: TO_API_ROLES },
  'supabase_admin in extensions': { grantees: ['postgres'], grantable: true },
  'supabase_admin in graphql_public': { grantees: TO_API_ROLES },
  'supabase_admin in public': { grantees: TO_API_ROLES },
  'supabase_admin in realtime': { grantees: TO_OPERATORS },
  'supabase_auth_admin in auth': { grantees: TO_OPERATORS },
};
