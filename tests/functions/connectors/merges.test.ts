// Merges in a CRM whose winner has no link yet: the contact is new, or the merge made it.
import { expect, test } from 'vitest';
import { atHubspot, eventsOf, untilSettled } from '../../support/connectors.ts';
import { type Connected, connectTo, drivers, importAll, untilLead } from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
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
