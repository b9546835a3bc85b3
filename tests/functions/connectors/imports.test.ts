// Imports: workers that are killed, and webhooks meanwhile.
import { expect, inject, test } from 'vitest';
import { createQueue } from '../../../shared/platform/jobs/publish.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { eventsOf, untilSettled } from '../../support/connectors.ts';
import { connectTo, untilLead } from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectDatabase } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startDenoDeliverer } from '../../support/webhooks/webhooks.ts';

const sql = connectAdmin();
/** Its jobs are not published to the stack. */
const silent = connectDatabase();

const contacts = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `Pessoa ${n}`, email: `p${n}@client.example` }));

const runOf = async (id: string) => only(await sql`select * from admin.crm_runs where id = ${id}`);

test('1200 contacts and 300 deals, with the worker killed twice: each once, in silence, with the right counts', async () => {
  const acme = await connectTo(sql, pipedrive);
  const ids = await acme.there.addContacts(contacts(1200), true);
  await acme.there.addDeals(
    Array.from({ length: 300 }, (_, n) => ({
      name: `Deal ${n}`,
      value: n,
      contact: ids[n] ?? '',
      stage: 'Prospecting',
    })),
    true,
  );
  await untilSettled(sql, acme);
  const worker = await startDenoDeliverer();
  const [job] = await sql`select id from jobs where name = 'sync-crm' and key = ${acme.accountId}`;
  // The stack does not see the job before the worker is killed for the last time.
  const hide = () =>
    silent`update jobs set published_at = '2999-01-01', due_at = now(), locked_until = null where id = ${job?.id}`;
  const { QSTASH_URL = '', QSTASH_TOKEN = '' } = inject('env');
  const own = createQueue({ QSTASH_URL, QSTASH_TOKEN, FUNCTIONS_URL: worker.url });
  const startOwn = () => own.publish([{ id: job?.id, name: 'sync-crm' }], silentLogger);
  const id = await silent.begin(async (tx) => {
    const [row] = await tx`select admin.import_crm(${acme.accountId}) as id`;
    await tx`update jobs set published_at = '2999-01-01', due_at = now() where id = ${job?.id}`;
    return row?.id as string;
  });
  const held = async () => (await acme.there.requests()).filter(({ fault }) => fault === 'hold_after').length;
  // While it reads contacts, after the first page was applied.
  await acme.there.forgetRequests();
  await startOwn();
  await waitFor(async () => Number((await runOf(id)).read) >= 500);
  await acme.there.fault({ kind: 'hold_after', method: 'GET', path: '/api/v2/*' });
  await waitFor(async () => (await held()) === 1 || (await runOf(id)).status === 'done');
  worker.crash();
  const killed = await runOf(id);
  expect(killed).toMatchObject({ status: 'running' });
  await hide();
  // While it reads deals.
  await acme.there.fault({ kind: 'hold_after', method: 'GET', path: '/api/v2/deals' });
  await startOwn();
  await waitFor(async () => (await held()) === 2);
  worker.crash();
  expect(await runOf(id)).toMatchObject({
    status: 'running',
    phase: 'deals',
    read: '1200',
    created: '1200',
  });
  // From here on, the job is announced as any other: the claim ends, and a worker goes on within a minute.
  await silent`update jobs set published_at = null where id = ${job?.id}`;
  const done = await waitFor(
    async () => {
      const run = await runOf(id);
      return run.finished_at && run;
    },
    { limitMs: 90_000 },
  );
  expect(done).toMatchObject({
    status: 'done',
    read: '1500',
    created: '1500',
    updated: '0',
    linked: '0',
    unchanged: '0',
    skipped: '0',
    failed: '0',
  });
  const [counts] = await sql`
    select (select count(*) from leads where tenant_id = ${acme.id})::integer as leads,
           (select count(*) from deals where tenant_id = ${acme.id})::integer as deals,
           (select count(*) from deals where tenant_id = ${acme.id} and lead_id is null)::integer as lonely,
           (select count(*) from crm_links where account_id = ${acme.accountId})::integer as links,
           (select count(*) from events where tenant_id = ${acme.id} and not silent and type ~ '^(lead|deal)[.]')::integer as loud,
           (select count(*) from point_entries where tenant_id = ${acme.id})::integer as points`;
  expect(counts).toEqual({ leads: 1200, deals: 300, lonely: 0, links: 1500, loud: 0, points: 0 });
});

test('a webhook of a record that is not read yet: applied once, after the import, aloud', async () => {
  const acme = await connectTo(sql, pipedrive);
  const id = only(await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true));
  await acme.there.fault({ kind: 'slow', method: 'GET', path: '/api/v2/persons', delayMs: 3000 });
  const [row] = await sql`select admin.import_crm(${acme.accountId}) as id`;
  await waitFor(async () => (await acme.there.requests(pipedrive.listsContacts)).length > 0);
  // Times of Pipedrive are whole seconds, so this change is later than the import's start.
  await waitFor(async () => {
    const [run] =
      await sql`select date_trunc('second', clock_timestamp()) > started_at as later from crm_runs where id = ${row?.id}`;
    return run?.later;
  });
  await acme.there.changeContact(id, { phone: '+55 11 91111-1111' });
  const added = only(await acme.there.addContacts([{ name: 'Elis Prado', email: 'elis@client.example' }]));
  await waitFor(
    async () => (await sql`select from crm_events where account_id = ${acme.accountId}`).length >= 2,
  );
  expect((await runOf(row?.id)).finished_at).toBeNull();
  expect(await sql`select from leads where tenant_id = ${acme.id}`).toHaveLength(0);
  await waitFor(async () => (await runOf(row?.id)).finished_at);
  await untilLead(sql, acme, id, ({ phone }) => phone !== null);
  await untilLead(sql, acme, added);
  await untilSettled(sql, acme);
  const events = await eventsOf(sql, acme);
  expect(events.filter(({ type, data }) => type === 'lead.created' && data.id === undefined)).toHaveLength(0);
  expect(events.filter(({ type }) => type === 'lead.created')).toHaveLength(2);
  expect(
    events.filter(
      ({ type, silent: isSilent, data }) =>
        type === 'lead.created' && data.email === 'elis@client.example' && !isSilent,
    ),
  ).toHaveLength(1);
  expect(events.filter(({ silent: isSilent }) => !isSilent).length).toBeGreaterThanOrEqual(1);
});
