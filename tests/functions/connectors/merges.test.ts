// Merges in a CRM whose winner has no link yet: the contact is new, or the merge made it.
import { expect, test } from 'vitest';
import {
  atHubspot,
  atPipedrive,
  eventsOf,
  finishRun,
  openDifferences,
  untilSettled,
} from '../../support/connectors.ts';
import {
  type Connected,
  connectTo,
  dealOf,
  drivers,
  importAll,
  untilDeal,
  untilLead,
} from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();
const DAVI = { name: 'Davi Lima', email: 'davi@client.example' };
const leadsOf = (acme: Connected) => sql`select id, name, email from leads where tenant_id = ${acme.id}`;
const mergesOf = async (acme: Connected) =>
  (await eventsOf(sql, acme)).filter(({ type }) => type === 'lead.merged');

test.concurrent.each(drivers.filter(({ tellsMerges }) => tellsMerges))(
  '$crm: merged into a contact without a link, the lead goes on',
  async (driver) => {
    const acme = await connectTo(sql, driver);
    const loser = only(await acme.there.addContacts([DAVI], true));
    await importAll(sql, acme);
    const winner = only(
      await acme.there.addContacts([{ name: 'Davi de Lima', email: 'd.lima@client.example' }], true),
    );
    await acme.there.merge(winner, loser);
    await untilLead(sql, acme, winner, ({ state }) => state === 'linked');

    await waitFor(async () => (await mergesOf(acme)).length === 1);
    await untilSettled(sql, acme);
    expect(await leadsOf(acme)).toMatchObject([{ name: 'Davi de Lima' }]);
    expect(await mergesOf(acme)).toHaveLength(1);
  },
);

test('HubSpot: a merge that makes a new contact moves the link of the first one', async () => {
  const acme = await connectTo(sql, hubspot);
  const [first = '', second = ''] = await acme.there.addContacts(
    [DAVI, { name: 'Davi L.', email: 'd.lima@client.example' }],
    true,
  );
  await importAll(sql, acme);
  const kept = await untilLead(sql, acme, first);
  const made = await atHubspot().merge(acme.vendorId, 'contacts', first, second, true);
  await untilLead(sql, acme, made.id, ({ state }) => state === 'linked');
  await untilSettled(sql, acme);
  expect(await leadsOf(acme)).toMatchObject([{ id: kept.id, name: 'Davi Lima' }]);
  expect(await mergesOf(acme)).toHaveLength(1);
  const links =
    await sql`select crm_id, state from admin.crm_links where account_id = ${acme.accountId} and kind = 'lead'`;
  expect(links.filter(({ state }) => state === 'linked')).toEqual([{ crm_id: made.id, state: 'linked' }]);
});

const TWO_DEALS = [
  { name: 'Website', value: 100 },
  { name: 'Website 2', value: 200 },
];

test('Pipedrive: of two merged deals, the loser counts as deleted at once', async () => {
  const acme = await connectTo(sql, pipedrive);
  const [winner = '', loser = ''] = await acme.there.addDeals(TWO_DEALS, true);
  await importAll(sql, acme);
  await atPipedrive().merge(acme.vendorId, 'deals', Number(winner), Number(loser));
  await untilDeal(sql, acme, loser, ({ state }) => state === 'gone');
  await untilSettled(sql, acme);
  expect(await dealOf(sql, acme, winner)).toMatchObject({ state: 'linked' });
});

test('HubSpot: a merge of deals that makes a new one moves the link of the first one', async () => {
  const acme = await connectTo(sql, hubspot);
  const [first = '', second = ''] = await acme.there.addDeals(TWO_DEALS, true);
  await importAll(sql, acme);
  const kept = await untilDeal(sql, acme, first);
  const made = await atHubspot().merge(acme.vendorId, 'deals', first, second, true);
  await untilDeal(sql, acme, made.id, ({ state }) => state === 'linked');
  await untilDeal(sql, acme, second, ({ state }) => state === 'gone');
  await untilSettled(sql, acme);
  expect(await dealOf(sql, acme, made.id)).toMatchObject({ id: kept.id });
  expect(await sql`select from deals where tenant_id = ${acme.id}`).toHaveLength(2);
});

test('a change of the loser that is read after the merge does not delete it before', async () => {
  const acme = await connectTo(sql, pipedrive, { on_delete: 'delete' });
  const [winner = '', loser = ''] = await acme.there.addContacts(
    [DAVI, { name: 'Davi L.', email: 'd.lima@client.example' }],
    true,
  );
  await importAll(sql, acme);
  await acme.there.merge(winner, loser);
  await waitFor(async () => {
    // As if the worker came between the two.
    const [later] = await sql`
      update private.crm_pending set due_at = now() + interval '4 seconds' where account_id = ${acme.accountId} and merge is not null returning id`;
    return later;
  });
  await sql`
    insert into private.crm_pending (tenant_id, account_id, kind, crm_id, due_at) values (${acme.id}, ${acme.accountId}, 'lead', ${loser}, now())`;
  await sql`select private.wake_crm(${acme.accountId})`;
  await waitFor(async () => (await mergesOf(acme)).length === 1);
  await untilSettled(sql, acme);
  expect((await eventsOf(sql, acme)).map(({ type }) => type)).not.toContain('lead.deleted');
});

test.concurrent.each(drivers.filter(({ tellsMerges }) => tellsMerges))(
  '$crm: merged twice in a row, both losers are merged here',
  async (driver) => {
    const acme = await connectTo(sql, driver);
    const [a = '', b = '', c = ''] = await acme.there.addContacts(
      ['a', 'b', 'c'].map((name) => ({ name, email: `${name}@client.example` })),
      true,
    );
    await importAll(sql, acme);
    await sql`select admin.pause_crm(${acme.accountId})`;
    await acme.there.merge(a, b);
    await acme.there.merge(c, a);
    const mergesTold = () => sql`
      select count(distinct crm_id)::int from private.crm_pending where account_id = ${acme.accountId} and merge is not null`;
    await waitFor(async () => (await mergesTold())[0]?.count >= 2);
    await sql`select admin.resume_crm(${acme.accountId})`;
    await waitFor(async () => (await mergesOf(acme)).length === 2);
    await untilSettled(sql, acme);
    expect(await leadsOf(acme)).toMatchObject([{ email: 'c@client.example' }]);
  },
);

test.concurrent('merged twice in a row, and the second is told later: both losers are merged here', async () => {
  const acme = await connectTo(sql, pipedrive);
  const [a = '', b = '', c = ''] = await acme.there.addContacts(
    ['a', 'b', 'c'].map((name) => ({ name, email: `${name}@client.example` })),
    true,
  );
  await importAll(sql, acme);
  await untilSettled(sql, acme);
  await acme.there.loseWebhooks();
  await acme.there.merge(a, b);
  await acme.there.merge(c, a);
  const tell = async (winner: string, loser: string) => {
    await sql`
      insert into private.crm_pending (tenant_id, account_id, kind, crm_id, merge, due_at)
      values (${acme.id}, ${acme.accountId}, 'lead', ${winner}, ${sql.json({ losers: [loser], former_id: null })}, now())`;
    await sql`select private.wake_crm(${acme.accountId})`;
    await untilSettled(sql, acme);
  };
  await tell(a, b);
  expect(await mergesOf(acme)).toHaveLength(1);
  await tell(c, a);
  expect(await mergesOf(acme)).toHaveLength(2);
  expect(await leadsOf(acme)).toMatchObject([{ email: 'c@client.example' }]);
});

/** Two leads whose contacts were merged in the CRM, without a webhook. */
async function mergedWithoutWebhook() {
  const acme = await connectTo(sql, pipedrive);
  const [winner = '', loser = ''] = await acme.there.addContacts(
    ['a', 'b'].map((name) => ({ name, email: `${name}@client.example` })),
    true,
  );
  await importAll(sql, acme);
  await acme.there.loseWebhooks();
  await acme.there.merge(winner, loser);
  const tell = async (id: string, merge: object | null) => {
    await sql`
      insert into private.crm_pending (tenant_id, account_id, kind, crm_id, merge, due_at)
      values (${acme.id}, ${acme.accountId}, 'lead', ${id}, ${merge && sql.json({ losers: [loser], former_id: null, ...merge })}, now())`;
    await sql`select private.wake_crm(${acme.accountId})`;
    await untilSettled(sql, acme);
  };
  return { acme, loser, tellChange: () => tell(loser, null), tellMerge: () => tell(winner, {}) };
}

test.concurrent('a change of the loser that is read before the merge is told: merged all the same, once', async () => {
  const { acme, tellChange, tellMerge } = await mergedWithoutWebhook();
  await tellChange();
  expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'deleted_there' }]);
  await tellMerge();
  expect(await mergesOf(acme)).toHaveLength(1);
  expect(await leadsOf(acme)).toMatchObject([{ email: 'a@client.example' }]);
  expect(await openDifferences(sql, acme)).toEqual([]);
  await tellMerge();
  expect(await mergesOf(acme)).toHaveLength(1);
});

test.concurrent('a merge that is told after the comparison saw that the loser is gone changes nothing more', async () => {
  const { acme, tellMerge } = await mergedWithoutWebhook();
  await finishRun(sql, acme, 'compare');
  await tellMerge();
  expect(await mergesOf(acme)).toHaveLength(0);
  expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'deleted_there' }]);
});
