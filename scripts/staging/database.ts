// Steps of the staging check in the database: what Supabase's roles may do, Vault, and the login of the functions.
import postgres from 'postgres';
import { NO_ROUTE } from '../../clients/typescript/src/cli/doctor/check.ts';
import type { Deployment } from '../deploy/deployment.ts';
import { isLoopback } from '../deploy/deployment.ts';
import { notChecked, type Step, step } from './step.ts';

const ROLES = ['api', 'payments', 'manage', 'worker'];
const LOGIN = 'placar_staging_check';

export async function checkDatabase(
  sql: postgres.Sql,
  deployment: Deployment,
  poolerHost: string | undefined,
): Promise<Step[]> {
  return [
    await step('statement timeout', 'see docs/operations/upgrading.md#statement-timeouts', async () => {
      const [role] = await sql`select setting from pg_settings where name = 'statement_timeout'`;
      await sql`set statement_timeout = '7s'`;
      const [own] = await sql`select current_setting('statement_timeout') as value`;
      await sql`reset statement_timeout`;
      if (own?.value !== '7s') throw new Error(`the session has ${own?.value} after it set 7s`);
      return `the role has ${Number(role?.setting) / 1000} s, and a session can change it`;
    }),
    await step(
      'roles',
      'grant usage on schema extensions to the role that is named, as postgres',
      async () => {
        for (const role of ROLES)
          await sql
            .begin(async (tx) => {
              await tx`select set_config('role', ${role}, true)`;
              await fold(tx);
            })
            .catch((error: Error) => Promise.reject(new Error(`${role}: ${error.message}`)));
        return `postgres can act as ${ROLES.join(', ')}`;
      },
    ),
    await step(
      'grants',
      'revoke the privileges: docs/production.md#rights-of-the-projects-public-keys',
      async () => {
        const rows = await sql<{ name: string }[]>`
        select r || ' on ' || c.oid::regclass as name
        from pg_catalog.pg_class c, unnest(array['anon', 'authenticated']) as r
        where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace, 'admin'::regnamespace, 'monitor'::regnamespace)
          and c.relkind in ('r', 'p', 'v', 'm') and has_table_privilege(r, c.oid, 'select, insert, update, delete')
        order by 1 limit 5`;
        if (rows.length > 0) throw new Error(rows.map(({ name }) => name).join(', '));
        return 'anon and authenticated have none';
      },
    ),
    await step('Vault', 'enable the extension supabase_vault under Database > Extensions', async () => {
      await sql.begin(async (tx) => {
        const [row] = await tx`select vault.create_secret('a value', ${LOGIN}) as id`;
        const [read] =
          await tx`select decrypted_secret as value from vault.decrypted_secrets where id = ${row?.id}`;
        await tx`delete from vault.secrets where id = ${row?.id}`;
        if (read?.value !== 'a value') throw new Error('the secret differs from what was stored');
      });
      return 'stores, reads and deletes a secret';
    }),
    ...(await checkLogins(sql, deployment, poolerHost)),
  ];
}

/** Uses an extension as the current role, if requests with this role do. */
async function fold(tx: postgres.TransactionSql): Promise<void> {
  const [row] = await tx`select has_function_privilege('app.fold(text)', 'execute') as may`;
  if (row?.may) await tx`select app.fold('Ação')`;
}

/** Creates the login of the functions under another name, and tries it at each address. Drops it. */
async function checkLogins(
  sql: postgres.Sql,
  deployment: Deployment,
  poolerHost: string | undefined,
): Promise<Step[]> {
  await dropLogin(sql);
  const [login] = await sql<{ role: string; password: string }[]>`select * from admin.create_login(${LOGIN})`;
  if (!login) throw new Error('admin.create_login returned nothing.');
  try {
    const steps: Step[] = [];
    for (const [name, address] of addressesOf(deployment, login, poolerHost)) {
      steps.push(
        address
          ? await step(`login, ${name}`, todoFor(name), () => tryLogin(address))
          : notChecked(`login, ${name}`, 'pass --pooler HOST, from Connect in the dashboard'),
      );
    }
    return steps;
  } finally {
    await dropLogin(sql);
  }
}

const todoFor = (name: string) => (error: unknown) => {
  if (name === 'direct')
    return 'the direct address has IPv6 only: use the session pooler from networks without IPv6';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return NO_ROUTE.test(code) || code === 'ECONNREFUSED'
    ? 'nothing responds at this host: check --pooler, from Connect in the dashboard'
    : 'the pooler rejects the role: use the direct address or the dedicated pooler as DATABASE_URL';
};

async function dropLogin(sql: postgres.Sql): Promise<void> {
  const [there] = await sql`select from pg_catalog.pg_roles where rolname = ${LOGIN}`;
  if (there) await sql`select admin.drop_login(${LOGIN})`;
}

function addressesOf(
  { databaseUrl, projectRef }: Deployment,
  { role, password }: { role: string; password: string },
  poolerHost: string | undefined,
): [name: string, address: URL | undefined][] {
  const isPooler = databaseUrl.hostname.endsWith('.pooler.supabase.com');
  const direct = new URL(databaseUrl);
  Object.assign(direct, { username: role, password });
  if (isPooler) Object.assign(direct, { hostname: `db.${projectRef}.supabase.co`, port: '5432' });
  const host = poolerHost ?? (isPooler ? databaseUrl.hostname : undefined);
  const pooled = (port: string) => {
    if (host === undefined) return undefined;
    const url = new URL(direct);
    const [hostname = '', ownPort = port] = host.split(':');
    const isSupavisor = hostname.endsWith('.pooler.supabase.com');
    return Object.assign(url, {
      hostname,
      port: ownPort,
      username: isSupavisor ? `${role}.${projectRef}` : role,
    });
  };
  return [
    ['direct', direct],
    ['pooler in session mode', pooled('5432')],
    ['pooler in transaction mode', pooled('6543')],
  ];
}

/** A transaction as the functions make it. */
async function tryLogin(address: URL): Promise<string> {
  const sql = postgres(address.href, {
    max: 1,
    connect_timeout: 10,
    prepare: false,
    fetch_types: false,
    ...(!address.searchParams.has('sslmode') && { ssl: isLoopback(address) ? false : 'require' }),
  });
  try {
    for (const role of ROLES)
      await sql.begin(async (tx) => {
        await tx`select set_config('statement_timeout', '5000', true), set_config('role', ${role}, true)`;
        await fold(tx);
      });
    return `${address.hostname}:${address.port} admits the role, which can act as ${ROLES.join(', ')}`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
