/** Tenants with an account at a fake of a CRM of the stack. */
import type postgres from 'postgres';
import { inject } from 'vitest';
import type { Hubspot } from '../../local/crms/hubspot/index.ts';
import type { Pipedrive } from '../../local/crms/pipedrive/index.ts';
import type { RdStation } from '../../local/crms/rd-station/index.ts';
import { controlOf } from '../../local/fakes/controls.ts';
import { createTenant, type Tenant } from './database.ts';
import { waitFor } from './wait-for.ts';

const originOf = (setting: string): string => new URL(inject('env')[setting] ?? '').origin;

export const atPipedrive = (): Pipedrive['control'] => controlOf(originOf('PIPEDRIVE_URL'));
export const atHubspot = (): Hubspot['control'] => controlOf(originOf('HUBSPOT_URL'));
export const atRdStation = (): RdStation['control'] => controlOf(originOf('RD_STATION_URL'));

export interface CrmTenant extends Tenant {
  /** Our id of the account, `crm_...`. */
  accountId: string;
  /** Id of the account at the fake. */
  vendorId: string;
  /** Credentials as `admin.connect_crm` takes them. */
  credentials: Record<string, string>;
}

/** The people of each tenant's CRM. Ana is also a user of Placar, once `addUser` was called. */
export const PEOPLE = [
  { name: 'Ana Ribeiro', email: 'ana@acme.example' },
  { name: 'Bruno Costa', email: 'bruno@acme.example' },
];

export const PIPELINE = { name: 'Vendas', stages: ['Prospecting', 'Proposta', 'Negotiation'] };

export async function connectCrm(
  sql: postgres.Sql,
  tenantId: string,
  crm: string,
  credentials: object,
  settings: object = {},
): Promise<string> {
  const [row] = await sql`
    select admin.connect_crm(${tenantId}, ${crm}, ${JSON.stringify(credentials)}, ${JSON.stringify(settings)}) as id`;
  return row?.id;
}

/** Waits until an account has this status. Returns it as admins see it. */
export const untilCrmIs = (sql: postgres.Sql, id: string, status: string): Promise<postgres.Row> =>
  waitFor(async () => {
    const [account] = await sql`select * from admin.crm_accounts where id = ${id}`;
    return account?.status === status && account;
  });

/** A new tenant with a company at Pipedrive, connected and active, but nothing imported. */
export async function connectPipedriveTenant(sql: postgres.Sql, settings: object = {}): Promise<CrmTenant> {
  const tenant = await createTenant(sql);
  const {
    id: vendorId,
    domain,
    apiToken,
  } = await atPipedrive().createAccount({
    users: PEOPLE,
    pipelines: [PIPELINE],
  });
  const credentials = { domain, api_token: apiToken };
  const accountId = await connectCrm(sql, tenant.id, 'pipedrive', credentials, settings);
  await untilCrmIs(sql, accountId, 'active');
  return { ...tenant, accountId, vendorId, credentials };
}

/** Ana as an active user of the tenant. */
export async function addUser(
  sql: postgres.Sql,
  { id }: Tenant,
  { name, email } = PEOPLE[0] ?? { name: '', email: '' },
) {
  const [user] = await sql`
    insert into users (tenant_id, name, email, role, status) values (${id}, ${name}, ${email}, 'sales_rep', 'active') returning id, player_id`;
  return { id: user?.id as string, playerId: user?.player_id as string };
}

/** Starts a run and waits for its end. Returns it as admins see it. */
export async function finishRun(
  sql: postgres.Sql,
  { accountId }: CrmTenant,
  kind: 'preview' | 'import' | 'reconcile' | 'compare',
  options: { limitMs?: number } = {},
): Promise<postgres.Row> {
  const [row] = await sql`select ${sql(`admin.${kind}_crm`)}(${accountId}) as id`;
  return await waitFor(async () => {
    const [run] = await sql`select * from admin.crm_runs where id = ${row?.id}`;
    return run?.finished_at && run;
  }, options);
}

/** Waits until nothing is queued about the account and no run is open, including a reconciliation that follows the first import. */
export const untilSettled = (sql: postgres.Sql, { accountId }: CrmTenant): Promise<boolean> =>
  waitFor(async () => {
    const [left] = await sql`
      select (select count(*) from private.crm_pending where account_id = ${accountId})
           + (select count(*) from crm_runs where account_id = ${accountId} and finished_at is null)
           + (select count(*) from crm_accounts where id = ${accountId} and imported_at is not null and last_reconciled_at is null) as count`;
    return Number(left?.count) === 0;
  });

/** Events of the tenant's leads and deals, oldest first. */
export const eventsOf = (sql: postgres.Sql, { id }: Tenant) =>
  sql`select type, changed, origin, silent, data from events where tenant_id = ${id} and type ~ '^(lead|deal)\\.' order by sequence`;

export const openDifferences = (sql: postgres.Sql, { accountId }: CrmTenant) =>
  sql`select kind, record, field, ours, theirs from admin.crm_differences
      where account_id = ${accountId} and resolved_at is null order by kind, record, field`;
