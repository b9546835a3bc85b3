// Limits and outages of CRMs: waits, and never more requests than 60 %.
import { test } from 'vitest';
import {
  atHubspot,
  atPipedrive,
  atRdStation,
  connectCrm,
  finishRun,
  PEOPLE,
  untilCrmIs,
  untilSettled,
} from '../../support/connectors.ts';
import { type Connected, connectTo, importAll, leadOf, untilLead } from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { rdStation } from '../../support/crms/rd-station.ts';
import { createTenant } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

const contacts = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `Pessoa ${n}`, email: `p${n}@client.example` }));

const runOf = async (id: string) => only(await sql`select * from admin.crm_runs where id = ${id}`);

/** Until when the account waits, in seconds from now. */
async function waitOf({ accountId }: Connected): Promise<number> {
  return await waitFor(async () => {
    const [row] = await sql`
      select extract(epoch from waiting_until - clock_timestamp())::float8 as seconds from admin.crm_accounts where id = ${accountId} and waiting_until > clock_timestamp()`;
    return row?.seconds;
  });
}

test.concurrent('429 with Retry-After: waits as long, and the run is waiting', async ({ expect }) => {
  const acme = await connectTo(sql, rdStation);
  await acme.there.addContacts(contacts(3), true);
  await acme.there.fault({ kind: 'rate_limited', ...rdStation.listsContacts });
  const [row] = await sql`select admin.import_crm(${acme.accountId}) as id`;
  const seconds = await waitOf(acme);
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThanOrEqual(61);
  expect(await runOf(row?.id)).toMatchObject({
    status: 'waiting',
    error: expect.stringContaining('too many requests'),
  });
  expect((await runOf(row?.id)).waiting_until).not.toBeNull();
  const [preview] = await sql`select admin.preview_crm(${acme.accountId}) as id`;
  expect(await runOf(preview?.id)).toMatchObject({
    status: 'waiting',
    waiting_until: (await runOf(row?.id)).waiting_until,
  });
  // As if the time had passed.
  await sql`update crm_accounts set waiting_until = now() where id = ${acme.accountId}`;
  await sql`select private.wake_crm(${acme.accountId})`;
  expect(await waitFor(async () => (await runOf(row?.id)).finished_at)).not.toBeNull();
  expect(await runOf(row?.id)).toMatchObject({
    status: 'done',
    created: '3',
    waiting_until: null,
    error: null,
  });
});

test.concurrent('429 without Retry-After: 10 s, then 20 s; another account goes on', async ({ expect }) => {
  const [acme, other] = await Promise.all([connectTo(sql, pipedrive), connectTo(sql, pipedrive)]);
  await acme.there.addContacts(contacts(3), true);
  await acme.there.fault({ kind: 'rate_limited', times: 2, ...pipedrive.listsContacts });
  const [row] = await sql`select admin.import_crm(${acme.accountId}) as id`;
  const first = await waitOf(acme);
  expect(first).toBeGreaterThan(5);
  expect(first).toBeLessThanOrEqual(10.5);
  const asked = (await acme.there.requests()).length;
  await importAll(sql, other);
  expect((await acme.there.requests()).length).toBe(asked);
  await waitFor(async () => {
    const [now] = await sql`select failures from crm_accounts where id = ${acme.accountId}`;
    return now?.failures === 2;
  });
  const second = await waitOf(acme);
  expect(second).toBeGreaterThan(12);
  expect(second).toBeLessThanOrEqual(20.5);
  await sql`update crm_accounts set waiting_until = now() where id = ${acme.accountId}`;
  await sql`select private.wake_crm(${acme.accountId})`;
  await waitFor(async () => (await runOf(row?.id)).status === 'done');
});

test.concurrent('the budget of the day is used up: waits until midnight, and keeps the hints', async ({
  expect,
}) => {
  const acme = await connectTo(sql, pipedrive);
  const id = only(await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true));
  await importAll(sql, acme);
  await atPipedrive().useBudget(acme.vendorId);
  await acme.there.changeContact(id, { name: 'Davi de Lima' });
  const seconds = await waitOf(acme);
  const midnight = (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000;
  expect(Math.abs(seconds - midnight)).toBeLessThan(120);
  expect(await sql`select from private.crm_pending where account_id = ${acme.accountId}`).not.toHaveLength(0);
  await atPipedrive().useBudget(acme.vendorId, 0);
  await sql`update crm_accounts set waiting_until = now() where id = ${acme.accountId}`;
  await sql`select private.wake_crm(${acme.accountId})`;
  await untilLead(sql, acme, id, ({ name }) => name === 'Davi de Lima');
});

test.concurrent('60 % of the budget of the day are used up: the rest is for other programs', async ({
  expect,
}) => {
  const acme = await connectTo(sql, pipedrive);
  await acme.there.addContacts(contacts(3), true);
  await atPipedrive().useBudget(acme.vendorId, 600_000);
  await sql`select admin.import_crm(${acme.accountId})`;
  const seconds = await waitOf(acme);
  const midnight = (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000;
  expect(Math.abs(seconds - midnight)).toBeLessThan(120);
});

test.concurrent('records with differences that are read again do not hold up a webhook', async ({
  expect,
}) => {
  const acme = await connectTo(sql, rdStation);
  const without = Array.from({ length: 30 }, (_, n) => ({ name: `Pessoa ${n}`, email: null }));
  await acme.there.addContacts(without, true);
  const id = only(await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true));
  await importAll(sql, acme);
  const [run] = await sql`select admin.reconcile_crm(${acme.accountId}) as id`;
  await waitFor(async () => (await runOf(run?.id)).phase === 'checks');
  await acme.there.changeContact(id, { name: 'Davi de Lima' });
  await untilLead(sql, acme, id, ({ name }) => name === 'Davi de Lima');
  expect(await runOf(run?.id)).toMatchObject({ phase: 'checks' });
});

test.concurrent('RD Station: a webhook does not wait for the stages of many pipelines', async ({
  expect,
}) => {
  const tenant = await createTenant(sql);
  const pipelines = Array.from({ length: 16 }, (_, n) => ({ name: `Funil ${n}`, stages: ['Novo'] }));
  const account = await atRdStation().createAccount({ users: PEOPLE, pipelines });
  const { id: vendorId, clientId, clientSecret, refreshToken } = account;
  const credentials = { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken };
  const accountId = await connectCrm(sql, tenant.id, 'rd_station', credentials);
  await untilCrmIs(sql, accountId, 'active');
  const acme = { ...tenant, accountId, vendorId, credentials };
  await importAll(sql, acme);
  const there = rdStation.at(vendorId);
  await there.forgetRequests();
  const stagesRead = async () => (await there.requests({ path: '/crm/v2/pipelines/*/stages' })).length;
  const [run] = await sql`select admin.reconcile_crm(${accountId}) as id`;
  await waitFor(async () => (await stagesRead()) > 0);
  const [id = ''] = await there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }]);
  await untilLead(sql, acme, id);
  expect(await stagesRead()).toBeLessThan(8);
  await waitFor(async () => (await runOf(run?.id)).status === 'done');
  expect(await stagesRead()).toBe(16);
});

test.concurrent('at most 60 % of the limit: no request is refused by a CRM with that limit', async ({
  expect,
}) => {
  const acme = await connectTo(sql, hubspot);
  await atHubspot().setOptions(acme.vendorId, { searchesPerSecond: 3, per10Seconds: 60 });
  await acme.there.addContacts(contacts(1500), true);
  await acme.there.addDeals(
    Array.from({ length: 150 }, (_, n) => ({ name: `Deal ${n}`, value: n })),
    true,
  );
  await acme.there.forgetRequests();
  await finishRun(sql, acme, 'import');
  await finishRun(sql, acme, 'compare');
  await untilSettled(sql, acme);
  const requests = await acme.there.requests();
  expect(requests.length).toBeGreaterThan(15);
  expect(requests.filter(({ status }) => status === 429)).toHaveLength(0);
  expect(await leadOf(sql, acme, 'none')).toBeUndefined();
});

test.concurrent('RD Station: never more than its requests a minute', async ({ expect }) => {
  const acme = await connectTo(sql, rdStation);
  await acme.there.addContacts(contacts(900), true);
  await acme.there.forgetRequests();
  const startedAt = Date.now();
  await finishRun(sql, acme, 'preview');
  const count = (await acme.there.requests()).length;
  const elapsedMs = Date.now() - startedAt;
  expect(count).toBeGreaterThan(9);
  expect(count).toBeLessThanOrEqual(12 + elapsedMs / 1000 + 1);
});

test.concurrent('an outage: waits 2 s, 4 s, and goes on', async ({ expect }) => {
  const acme = await connectTo(sql, pipedrive);
  await acme.there.addContacts(contacts(3), true);
  await acme.there.fault({ kind: 'error_before', status: 503, times: 2, ...pipedrive.listsContacts });
  expect(await finishRun(sql, acme, 'import')).toMatchObject({ status: 'done', created: '3', failed: '0' });
  const [account] = await sql`select status, failures from crm_accounts where id = ${acme.accountId}`;
  expect(account).toMatchObject({ status: 'active', failures: 0 });
});
