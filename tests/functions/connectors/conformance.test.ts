// What all CRMs have in common: previews, imports, changes there and here, won and lost.
import { describe, test } from 'vitest';
import { eventsOf, finishRun, openDifferences, PEOPLE, untilSettled } from '../../support/connectors.ts';
import {
  type Connected,
  connectTo,
  dealOf,
  drivers,
  untilDeal,
  untilLead,
} from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();
const typesOf = async (acme: Connected) => (await eventsOf(sql, acme)).map(({ type }) => type);
const owner = PEOPLE[0]?.email ?? '';

describe.concurrent.each(drivers)('$crm', (driver) => {
  test.concurrent('a preview writes nothing, and an import does what it said', async ({ expect }) => {
    const acme = await connectTo(sql, driver);
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Clara Nunes', 'clara@client.example')`;
    // A person at Pipedrive always has an owner.
    if (driver.crm === 'pipedrive')
      await sql`update leads set owner_id = (select id from users where tenant_id = ${acme.id}) where tenant_id = ${acme.id}`;
    const seen = await eventsOf(sql, acme);
    const people = ['Davi Lima', 'Elis Prado', 'Fabio Melo'].map((name) => ({
      name,
      email: `${name.split(' ')[0]?.toLowerCase()}@client.example`,
    }));
    await acme.there.addContacts(
      [...people, { name: 'Clara Nunes', email: 'clara@client.example' }, { name: 'Sem Email', email: null }],
      true,
    );
    const preview = await finishRun(sql, acme, 'preview');
    expect(preview).toMatchObject({
      status: 'done',
      read: '5',
      created: '3',
      linked: '1',
      updated: '0',
      skipped: '1',
    });
    const rows = await sql`
      select action, count(*)::integer as count from admin.crm_preview where run_id = ${preview.id} group by 1 order by 1`;
    expect(rows.map(({ action, count }) => [action, count])).toEqual([
      ['create', 3],
      ['link', 1],
      ['skip', 1],
    ]);
    expect(
      await sql`select from admin.crm_links where account_id = ${acme.accountId} and kind = 'lead'`,
    ).toHaveLength(0);
    expect(await sql`select from leads where tenant_id = ${acme.id}`).toHaveLength(1);
    expect(await eventsOf(sql, acme)).toEqual(seen);
    expect(await openDifferences(sql, acme)).toHaveLength(0);

    const done = await finishRun(sql, acme, 'import');
    expect(done).toMatchObject({
      status: 'done',
      read: '5',
      created: '3',
      linked: '1',
      updated: '0',
      unchanged: '0',
      skipped: '1',
      failed: '0',
    });
    expect(
      await sql`select source from leads where tenant_id = ${acme.id} and name <> 'Clara Nunes'`,
    ).toEqual(people.map(() => ({ source: driver.crm })));
    expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'missing_email', record: 'lead' }]);
    const events = (await eventsOf(sql, acme)).slice(seen.length);
    expect(events.map(({ type, silent, origin }) => ({ type, silent, origin }))).toEqual(
      people.map(() => ({ type: 'lead.created', silent: true, origin: `crm:${driver.crm}` })),
    );
    const again = await finishRun(sql, acme, 'import');
    expect(again).toMatchObject({
      status: 'done',
      read: '5',
      created: '0',
      updated: '0',
      linked: '0',
      unchanged: '4',
      skipped: '1',
    });
  });

  test.concurrent('created, changed and won there: each once, aloud, with its origin', async ({ expect }) => {
    const acme = await connectTo(sql, driver);
    await sql`select admin.set_point_rule(${acme.id}, 'deal.won', 50)`;
    await finishRun(sql, acme, 'import');
    const contact = only(await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }]));
    await untilLead(sql, acme, contact);
    await acme.there.changeContact(contact, { phone: '+55 11 98888-7777' });
    await untilLead(sql, acme, contact, ({ phone }) => phone !== null);
    const deal = only(
      await acme.there.addDeals([{ name: 'Website', value: 1250.5, contact, owner, stage: 'Prospecting' }]),
    );
    await untilDeal(sql, acme, deal, ({ lead_id: lead }) => lead !== null);
    await untilSettled(sql, acme);
    expect(await dealOf(sql, acme, deal)).toMatchObject({
      name: 'Website',
      value: 1250.5,
      currency: 'BRL',
      status: 'open',
      stage: 'Prospecting',
    });
    await acme.there.close(deal, { status: 'won' });
    const won = await untilDeal(sql, acme, deal, ({ status }) => status === 'won');
    await untilSettled(sql, acme);
    expect(won).toMatchObject({ value: 1250.5, stage: 'Prospecting' });
    expect(Math.abs(Date.now() - won.closed_at.getTime())).toBeLessThan(60_000);
    const events = await eventsOf(sql, acme);
    const told = events.map(({ type }) => type);
    for (const type of ['lead.created', 'deal.created', 'deal.won'])
      expect([type, told.filter((one) => one === type).length]).toEqual([type, 1]);
    expect(await sql`select points, reason from point_entries where tenant_id = ${acme.id}`).toEqual([
      { points: 50, reason: 'deal_won' },
    ]);
    const changes = events.filter(
      ({ type, changed }) => type === 'lead.updated' && changed.includes('phone'),
    );
    expect(changes).toHaveLength(1);
    expect(events.every(({ silent, origin }) => !silent && origin === `crm:${driver.crm}`)).toBe(true);
    await acme.there.close(deal, { status: 'open' });
    await untilDeal(sql, acme, deal, ({ status }) => status === 'open');
    await acme.there.close(deal, { status: 'lost', reason: 'Preço' });
    const lost = await untilDeal(sql, acme, deal, ({ status }) => status === 'lost');
    expect(lost.loss_reason).toBe('Preço');
  });

  test.concurrent('a change here goes there once, and does not come back', async ({ expect }) => {
    const acme = await connectTo(sql, driver, { direction: 'both' });
    const contact = only(
      await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true),
    );
    const deal = only(
      await acme.there.addDeals([{ name: 'Website', value: 100, contact, stage: 'Prospecting' }], true),
    );
    await finishRun(sql, acme, 'import');
    await untilSettled(sql, acme);
    await acme.there.forgetRequests();
    const before = await eventsOf(sql, acme);
    await sql`update leads set name = 'Davi de Lima' where tenant_id = ${acme.id}`;
    await sql`update deals set value = 250 where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.contact(contact)).name === 'Davi de Lima');
    await waitFor(async () => (await acme.there.deal(deal)).value === 250);
    const writes = async () => (await acme.there.requests()).filter(driver.isWrite);
    await untilSettled(sql, acme);
    await finishRun(sql, acme, 'reconcile');
    await untilSettled(sql, acme);
    expect((await writes()).map(({ path }) => path)).toHaveLength(2);
    expect(
      (await eventsOf(sql, acme)).slice(before.length).map(({ type, origin }) => [type, origin]),
    ).toEqual([
      ['lead.updated', null],
      ['deal.updated', null],
    ]);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test.concurrent('won here is won there, and opened again; a stage here is the stage there', async ({
    expect,
  }) => {
    const acme = await connectTo(sql, driver, { direction: 'both' });
    const deal = only(
      await acme.there.addDeals([{ name: 'Website', value: 100, stage: 'Prospecting' }], true),
    );
    await finishRun(sql, acme, 'import');
    await sql`
      update deals set stage_id = (select id from pipeline_stages where tenant_id = ${acme.id} and name = 'Negotiation')
      where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.deal(deal)).stage === 'Negotiation');
    await sql`update deals set status = 'won', closed_at = now() where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.deal(deal)).status === 'won');
    await untilSettled(sql, acme);
    await finishRun(sql, acme, 'reconcile');
    await untilSettled(sql, acme);
    expect(await dealOf(sql, acme, deal)).toMatchObject({ status: 'won', stage: 'Negotiation' });
    expect((await typesOf(acme)).filter((type) => type === 'deal.won')).toHaveLength(1);
    await sql`update deals set status = 'open', closed_at = null where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.deal(deal)).status === 'open');
    await untilSettled(sql, acme);
    expect((await acme.there.deal(deal)).stage).toBe('Negotiation');
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });
});
