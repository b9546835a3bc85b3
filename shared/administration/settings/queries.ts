// SQL of settings, in the table `tenants`, and of plans.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { columnList, columnsFromJson, type JsonColumns } from '../../platform/db/sql.ts';
import { type Shown, selectShown } from '../statements.ts';

export const selectSettings = (sql: Sql, tenantId: string): Statement<Shown> =>
  selectShown(sql, {
    record: sql`json_build_object(
      'id', r.id, 'slug', r.slug, 'name', r.name, 'time_zone', r.time_zone, 'language', r.language, 'owner_email', r.owner_email,
      'nfse_cancellation_hours', r.nfse_cancellation_hours, 'sign_in', r.sign_in, 'require_mfa', r.require_mfa, 'plan', r.plan, 'environment', app.environment(),
      'webhook_limits', json_build_object('webhooks', p.max_webhooks, 'webhooks_per_host', p.max_webhooks_per_host))`,
    rows: sql`public.tenants r join public.plans p on p.name = r.plan`,
    where: sql`r.id = ${tenantId}`,
  });

export const lockSettings = (sql: Sql, tenantId: string): Fragment =>
  sql`select from public.tenants t where t.id = ${tenantId} for no key update`;

/** Raises `sign_in_protected`. */
export const expectAccessScope = (sql: Sql): Fragment =>
  sql`select app.expect_own_scopes('{manage:access}', 'sign_in_protected')`;

export const updateSettings = (
  sql: Sql,
  tenantId: string,
  columns: JsonColumns,
  change: object,
): Fragment => sql`
  update public.tenants t
  set (${columnList(sql, columns)}) = (
    select ${columnsFromJson(sql, columns)} from jsonb_populate_record(t, ${JSON.stringify(change)}::jsonb) as r
  )
  where t.id = ${tenantId}`;

export const selectPlan = (sql: Sql, tenantId: string): Statement<{ record: Record<string, unknown> }> => sql`
  select json_build_object(
    'name', p.name,
    'users', json_build_object('used', (select count(*) from public.users u where u.tenant_id = t.id and u.status <> 'deactivated'), 'max', p.max_users),
    'webhooks', json_build_object('used', (select count(*) from public.webhook_endpoints w where w.tenant_id = t.id), 'max', p.max_webhooks),
    'invitation_mails', json_build_object('used', app.invitation_mails_of_today(), 'max', p.max_invitation_mails_per_day),
    'requests_per_minute', p.requests_per_minute) as record
  from public.tenants t join public.plans p on p.name = t.plan
  where t.id = ${tenantId}`;

export const selectPlans = (sql: Sql): Statement<Record<string, unknown>> => sql`
  select p.name, p.requests_per_minute, p.max_users as users, p.max_webhooks as webhooks, p.max_invitation_mails_per_day as invitation_mails
  from public.plans p order by p.requests_per_minute, p.name`;
