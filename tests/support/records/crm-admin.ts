/** Tenants that set up a CRM through the admin API, at the fake of Pipedrive. */
import type postgres from 'postgres';
import { atPipedrive, PEOPLE, PIPELINE } from '../connectors.ts';
import { waitFor } from '../wait-for.ts';
import { createAdminTenant } from './admin-examples.ts';
import { records } from './records.ts';

type AdminCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
) => Promise<{ status: number; headers: Headers; body: any }>;

/** A tenant with a company at Pipedrive that is not connected, and calls of the admin API with a client of these scopes. */
export async function createCrmTenant(sql: postgres.Sql, scopes?: readonly string[]) {
  const tenant = await createAdminTenant(sql, scopes);
  const company = await atPipedrive().createAccount({ users: PEOPLE, pipelines: [PIPELINE] });
  const call: AdminCall = (method, path, body, headers = {}) =>
    records(tenant.token, method, `/admin${path}`, body, { headers });
  return {
    ...tenant,
    call,
    vendorId: company.id,
    credentials: { domain: company.domain, api_token: company.apiToken },
  };
}

type CrmAdminTenant = Awaited<ReturnType<typeof createCrmTenant>>;

/** Connects the tenant's company at Pipedrive and waits until it is active. Returns the path of the account. */
export async function connectByApi(
  { call, credentials }: Pick<CrmAdminTenant, 'call' | 'credentials'>,
  settings: object = {},
): Promise<string> {
  const { body } = await call('PUT', '/crm-accounts/pipedrive', { credentials, settings });
  const path = `/crm-accounts/${body.data.id}`;
  await waitFor(async () => (await call('GET', path)).body.data.status === 'active');
  return path;
}

/** Starts a run and waits for its end. Returns its path. */
export async function runToEnd(call: AdminCall, account: string, kind: string): Promise<string> {
  const { body } = await call('POST', `${account}/runs`, { kind });
  const path = `${account}/runs/${body.data.id}`;
  await waitFor(async () => (await call('GET', path)).body.data.finished_at);
  return path;
}

/** A person as Pipedrive takes it. */
export const person = (name: string, email: string | null, more: object = {}) => ({
  name,
  ...(email && { emails: [{ value: email, primary: true, label: 'work' }] }),
  ...more,
});
