// Which lead a deal has: after a merge here, and when deal and contact are made in the CRM during an import.
import { expect, test } from 'vitest';
import { atPipedrive, eventsOf, finishRun, openDifferences, untilSettled } from '../../support/connectors.ts';
import {
  connectTo,
  dealOf,
  importAll,
  untilDeal,
  untilLead,
  withContact,
} from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();
const DAVI = { name: 'Davi Lima', email: 'davi@client.example' };

test.concurrent('a lead that was merged here: its deals keep the winner when they change there', async () => {
  const acme = await connectTo(sql, pipedrive, { direction: 'both' });
  const contact = only(await acme.there.addContacts([DAVI], true));
  const deal = only(await acme.there.addDeals([{ name: 'Website', value: 100, contact }], true));
  await importAll(sql, acme);
  const loser = await untilLead(sql, acme, contact);
  const [winner] = await sql`
    insert into leads (tenant_id, name, email) values (${acme.id}, 'Davi de Lima', 'd.lima@client.example') returning id`;
  await sql`select admin.merge_leads(${acme.id}, ${winner?.id}, ${loser.id})`;
  await acme.there.changeDeal(deal, { value: 250 });
  await untilDeal(sql, acme, deal, ({ value }) => Number(value) === 250);
  await untilSettled(sql, acme);
  expect(await dealOf(sql, acme, deal)).toMatchObject({ lead_id: winner?.id });
  expect((await atPipedrive().record(acme.vendorId, 'deals', deal)).person_id).toBe(Number(contact));
});

test.concurrent.each(['both', 'in'] as const)(
  'direction %s: a lead that was merged here into one without a link: changes of the winner go on',
  async (direction) => {
    const { acme, id } = await withContact(sql, pipedrive, { direction });
    const loser = await untilLead(sql, acme, id);
    const [winner] = await sql`
      insert into leads (tenant_id, name, email) values (${acme.id}, 'Davi de Lima', 'd.lima@client.example') returning id`;
    await sql`select admin.merge_leads(${acme.id}, ${winner?.id}, ${loser.id})`;
    await untilSettled(sql, acme);
    await sql`update leads set phone = '+55 11 92222-2222' where tenant_id = ${acme.id}`;
    await waitFor(async () =>
      direction === 'both'
        ? (await acme.there.contact(id)).phone === '+55 11 92222-2222'
        : (await openDifferences(sql, acme)).some(({ field }) => field === 'phone'),
    );
    const links =
      await sql`select placar_id, state from admin.crm_links where account_id = ${acme.accountId} and kind = 'lead'`;
    expect(links).toEqual([{ placar_id: winner?.id, state: 'linked' }]);
  },
);

test.concurrent('a lead that was merged here into one whose contact was deleted: the winner gets the other contact', async ({
  expect,
}) => {
  const { acme, id } = await withContact(sql, pipedrive);
  const winner = await untilLead(sql, acme, id);
  const other = only(await acme.there.addContacts([{ name: 'Davi L.', email: 'd.lima@client.example' }]));
  const loser = await untilLead(sql, acme, other);
  await acme.there.remove('lead', id);
  await waitFor(async () => (await openDifferences(sql, acme)).length === 1);
  expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'deleted_there' }]);
  await sql`select admin.merge_leads(${acme.id}, ${winner.id}, ${loser.id})`;
  await untilSettled(sql, acme);
  const links = await sql`
    select placar_id, crm_id, state from admin.crm_links where account_id = ${acme.accountId} and kind = 'lead'`;
  expect(links).toEqual([{ placar_id: winner.id, crm_id: other, state: 'linked' }]);
  expect((await openDifferences(sql, acme)).map(({ kind, field }) => [kind, field])).toEqual([
    ['changed_here', 'email'],
    ['changed_here', 'name'],
  ]);
});

test.concurrent('made there during an import: the contact of a deal is told aloud too', async () => {
  const acme = await connectTo(sql, pipedrive);
  await acme.there.addContacts([DAVI], true);
  await acme.there.fault({ kind: 'rate_limited', method: 'GET', path: '/api/v2/deals' });
  const [run] = await sql`select admin.import_crm(${acme.accountId}) as id`;
  await waitFor(async () => {
    const [row] = await sql`select status, phase from admin.crm_runs where id = ${run?.id}`;
    return row?.status === 'waiting' && row.phase === 'deals';
  });
  // Pipedrive's times are whole seconds.
  await waitFor(async () => {
    const [row] =
      await sql`select clock_timestamp() > started_at + interval '1.1 seconds' as ok from crm_runs where id = ${run?.id}`;
    return row?.ok;
  });
  const contact = only(await acme.there.addContacts([{ name: 'Elis Prado', email: 'elis@client.example' }]));
  const deal = only(await acme.there.addDeals([{ name: 'Website', value: 100, contact }]));
  await sql`update crm_accounts set waiting_until = now() where id = ${acme.accountId}`;
  await sql`select private.wake_crm(${acme.accountId})`;
  await waitFor(async () => {
    const [row] = await sql`select finished_at from admin.crm_runs where id = ${run?.id}`;
    return row?.finished_at;
  });
  await untilDeal(sql, acme, deal, ({ lead_id: lead }) => lead !== null);
  await untilSettled(sql, acme);
  expect((await eventsOf(sql, acme)).map(({ type, silent, data }) => [type, data.name, silent])).toEqual([
    ['lead.created', 'Davi Lima', true],
    ['lead.created', 'Elis Prado', false],
    ['deal.created', 'Website', false],
  ]);
});

test.concurrent('an activity that does not count any more is no difference', async () => {
  const acme = await connectTo(sql, pipedrive);
  await finishRun(sql, acme, 'import');
  await untilSettled(sql, acme);
  const [difference] = await sql`
    insert into crm_differences (tenant_id, account_id, kind, record, crm_id, field)
    values (${acme.id}, ${acme.accountId}, 'unknown_owner', 'activity',
            ${await acme.there.addActivity('ana@acme.example', true)}, 'email') returning id`;
  await finishRun(sql, acme, 'reconcile');
  await waitFor(async () => {
    const [row] = await sql`select resolved_at from admin.crm_differences where id = ${difference?.id}`;
    return row?.resolved_at;
  });
});

test.concurrent('failing: the credentials are tried once a minute, however many webhooks arrive', async () => {
  const acme = await connectTo(sql, pipedrive);
  const contact = only(await acme.there.addContacts([DAVI], true));
  await importAll(sql, acme);
  await acme.there.fault({ kind: 'error_before', status: 401, times: 1000, body: { success: false } });
  await acme.there.changeContact(contact, { name: 'Davi' });
  const dueAt = await waitFor(async () => {
    const [row] = await sql`
      select j.due_at from jobs j join crm_accounts a on a.id = j.key
      where a.id = ${acme.accountId} and a.status = 'failing' and j.locked_until is null`;
    return row?.due_at;
  });
  await acme.there.changeContact(contact, { name: 'Davi Lima Neto' });
  await waitFor(
    async () => (await sql`select from crm_events where account_id = ${acme.accountId}`).length === 2,
  );
  const [job] = await sql`select due_at from jobs where name = 'sync-crm' and key = ${acme.accountId}`;
  expect(job?.due_at).toEqual(dueAt);
});
