// What all CRMs have in common: deletions, merges, activities, lost webhooks, disconnecting.
import { describe, expect, test } from 'vitest';
import {
  eventsOf,
  finishRun,
  openDifferences,
  PEOPLE,
  untilCrmIs,
  untilSettled,
} from '../../support/connectors.ts';
import {
  type Connected,
  connectTo,
  dealOf,
  drivers,
  importAll,
  leadOf,
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
  test.concurrent('deleted there and kept here; restored there, it is linked again', async ({ expect }) => {
    const acme = await connectTo(sql, driver);
    const contact = only(
      await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true),
    );
    await finishRun(sql, acme, 'import');
    await acme.there.remove('lead', contact);
    await untilLead(sql, acme, contact, ({ state }) => state === 'gone');
    expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'deleted_there', record: 'lead' }]);
    await acme.there.restore('lead', contact);
    await untilLead(sql, acme, contact, ({ state }) => state === 'linked');
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
    expect(await sql`select from leads where tenant_id = ${acme.id}`).toHaveLength(1);
  });

  test.concurrent('deleted there and here, aloud; restored there, it is here again', async ({ expect }) => {
    const acme = await connectTo(sql, driver, { on_delete: 'delete' });
    const contact = only(
      await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true),
    );
    const deal = only(await acme.there.addDeals([{ name: 'Website', value: 100 }], true));
    await finishRun(sql, acme, 'import');
    await acme.there.remove('deal', deal);
    await acme.there.remove('lead', contact);
    await waitFor(async () => (await sql`select from leads where tenant_id = ${acme.id}`).length === 0);
    await waitFor(async () => (await sql`select from deals where tenant_id = ${acme.id}`).length === 0);
    const deletions = (await eventsOf(sql, acme)).filter(({ type }) => type.endsWith('.deleted'));
    expect(deletions.map(({ type, silent, origin }) => [type, silent, origin]).sort()).toEqual([
      ['deal.deleted', false, `crm:${driver.crm}`],
      ['lead.deleted', false, `crm:${driver.crm}`],
    ]);
    await acme.there.restore('lead', contact);
    await untilLead(sql, acme, contact, ({ state }) => state === 'linked');
    await acme.there.restore('deal', deal);
    await untilDeal(sql, acme, deal, ({ state }) => state === 'linked');
  });

  test.concurrent('merged there: the leads are one, told once', async ({ expect }) => {
    const acme = await connectTo(sql, driver);
    const [winner = '', loser = ''] = await acme.there.addContacts(
      [
        { name: 'Davi Lima', email: 'davi@client.example' },
        { name: 'Davi L.', email: 'd.lima@client.example' },
      ],
      true,
    );
    await finishRun(sql, acme, 'import');
    await acme.there.merge(winner, loser);
    if (driver.tellsMerges) await waitFor(async () => (await typesOf(acme)).includes('lead.merged'));
    await finishRun(sql, acme, 'compare');
    await untilSettled(sql, acme);
    await finishRun(sql, acme, 'reconcile');
    await untilSettled(sql, acme);
    const merges = (await typesOf(acme)).filter((type) => type === 'lead.merged');
    expect(merges).toHaveLength(driver.tellsMerges ? 1 : 0);
    expect(await sql`select from leads where tenant_id = ${acme.id}`).toHaveLength(
      driver.tellsMerges ? 1 : 2,
    );
    const states = await sql`
      select crm_id, state from admin.crm_links where account_id = ${acme.accountId} and kind = 'lead'`;
    expect(Object.fromEntries(states.map(({ crm_id: id, state }) => [id, state]))).toEqual({
      [winner]: 'linked',
      [loser]: 'gone',
    });
  });

  test.concurrent('an activity counts once ever, and is void when it is deleted there', async ({
    expect,
  }) => {
    const acme = await connectTo(sql, driver);
    const early = await acme.there.addActivity(owner, true);
    await importAll(sql, acme);
    await acme.there.forgetRequests();
    const unmapped = await acme.there.addActivity(owner, true);
    const activities = () => sql`
      select external_id, activity_code, voided_at, void_reason from activities where tenant_id = ${acme.id} order by id`;
    await waitFor(async () => {
      const [row] =
        await sql`select count(*)::integer from crm_events where account_id = ${acme.accountId} and kind = 'activity'`;
      return (row?.count ?? 0) > 0;
    });
    await untilSettled(sql, acme);
    expect(await activities()).toHaveLength(0);
    expect(await acme.there.requests()).toHaveLength(0);
    await sql`select admin.map_crm_activity(${acme.accountId}, ${driver.activityType}, '001')`;
    const id = await acme.there.addActivity(owner, true);
    const number = id;
    await waitFor(async () => (await activities()).length > 0);
    await acme.there.setDone(id, false);
    await acme.there.setDone(id, true);
    await untilSettled(sql, acme);
    await finishRun(sql, acme, 'reconcile');
    await untilSettled(sql, acme);
    const ours = await activities();
    expect(
      ours.filter(({ external_id: own }) => own === `${driver.crm}:${driver.activityType}:${number}`),
    ).toHaveLength(1);
    expect(ours.some(({ external_id: own }) => own.endsWith(`:${early}`))).toBe(false);
    await acme.there.remove('activity', id);
    await waitFor(async () => (await activities()).some(({ voided_at: at }) => at !== null));
    expect((await activities()).filter(({ voided_at: at }) => at !== null)).toMatchObject([
      {
        external_id: `${driver.crm}:${driver.activityType}:${number}`,
        void_reason: `deleted in ${driver.crm}`,
      },
    ]);
    expect(unmapped).not.toBe(id);
  });

  test.concurrent('all webhooks lost: reconciling and comparing bring the same state', async ({ expect }) => {
    const acme = await connectTo(sql, driver);
    const [kept = '', gone = ''] = await acme.there.addContacts(
      [
        { name: 'Davi Lima', email: 'davi@client.example' },
        { name: 'Elis Prado', email: 'elis@client.example' },
      ],
      true,
    );
    const deal = only(await acme.there.addDeals([{ name: 'Website', value: 100, contact: kept }], true));
    await finishRun(sql, acme, 'import');
    await acme.there.loseWebhooks();
    await acme.there.changeContact(kept, { name: 'Davi de Lima' });
    await acme.there.remove('lead', gone);
    await acme.there.close(deal, { status: 'won' });
    const added = only(await acme.there.addContacts([{ name: 'Fabio Melo', email: 'fabio@client.example' }]));
    await finishRun(sql, acme, 'reconcile');
    await finishRun(sql, acme, 'compare');
    await untilSettled(sql, acme);
    expect(
      await sql`select type from crm_events where account_id = ${acme.accountId} and type !~ 'associationChange$'`,
    ).toHaveLength(0);
    expect(await leadOf(sql, acme, kept)).toMatchObject({ name: 'Davi de Lima' });
    expect(await leadOf(sql, acme, gone)).toMatchObject({ state: 'gone' });
    expect(await leadOf(sql, acme, added)).toMatchObject({ name: 'Fabio Melo', state: 'linked' });
    expect(await dealOf(sql, acme, deal)).toMatchObject({ status: 'won' });
    const told = (await eventsOf(sql, acme)).filter(({ silent }) => !silent).map(({ type }) => type);
    // HubSpot's closing date is also the expected one.
    const others = told.filter((type) => type !== 'deal.updated' || driver.crm !== 'hubspot');
    expect(others.sort()).toEqual(['deal.won', 'lead.created', 'lead.updated']);
    const [account] =
      await sql`select last_reconciled_at from admin.crm_accounts where id = ${acme.accountId}`;
    expect(account?.last_reconciled_at).not.toBeNull();
  });

  test.concurrent('disconnected: no webhooks there, no change here; connected again, nothing twice', async ({
    expect,
  }) => {
    const acme = await connectTo(sql, driver, { direction: 'both' });
    const contact = only(
      await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true),
    );
    await finishRun(sql, acme, 'import');
    await untilSettled(sql, acme);
    await sql`select admin.disconnect_crm(${acme.accountId})`;
    await sql`select admin.disconnect_crm(${acme.accountId})`;
    await waitFor(
      async () =>
        (await sql`select from private.crm_secrets where account_id = ${acme.accountId}`).length === 0,
    );
    if (!driver.setUpWebhooks) expect(await acme.there.webhookCount()).toBe(0);
    await acme.there.forgetRequests();
    await acme.there.changeContact(contact, { name: 'Davi de Lima' });
    await sql`update leads set phone = '+55 11 97777-6666' where tenant_id = ${acme.id}`;
    const [other] = await acme.there.addContacts([{ name: 'Elis Prado', email: 'elis@client.example' }]);
    const [row] = await sql`
      select admin.connect_crm(${acme.id}, ${driver.crm}, ${JSON.stringify(acme.credentials)}) as id`;
    expect(row?.id).toBe(acme.accountId);
    expect((await acme.there.requests()).filter(driver.isWrite)).toHaveLength(0);
    expect(await leadOf(sql, acme, contact)).toMatchObject({ name: 'Davi Lima' });
    await waitFor(async () => {
      const [account] = await sql`select status, reason from admin.crm_accounts where id = ${acme.accountId}`;
      if (account?.status === 'failing' && driver.crm !== 'rd_station') throw new Error(account.reason);
      return account?.status !== 'connecting';
    });
    if (driver.crm === 'rd_station') return;
    await untilCrmIs(sql, acme.accountId, 'active');
    await finishRun(sql, acme, 'reconcile');
    await waitFor(async () => (await leadOf(sql, acme, other ?? ''))?.state === 'linked');
    await untilSettled(sql, acme);
    await finishRun(sql, acme, 'import');
    expect(await sql`select from leads where tenant_id = ${acme.id}`).toHaveLength(2);
    expect(await leadOf(sql, acme, contact)).toMatchObject({ name: 'Davi de Lima' });
  });
});
expect(drivers).toHaveLength(3);
