// Records that are new here and created in the CRM.
import { describe, expect, test } from 'vitest';
import { eventsOf, finishRun, openDifferences, untilSettled } from '../../support/connectors.ts';
import { type Connected, connectTo, dealOf, drivers, withContact } from '../../support/crms/connected.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { rdStation } from '../../support/crms/rd-station.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

const createsDeal = { method: 'POST', path: '/api/v2/deals' } as const;

const addDeal = ({ id }: Connected, name: string) => sql`
  insert into deals (tenant_id, name, value, stage_id)
  select ${id}, ${name}, 100, s.id from pipeline_stages s where s.tenant_id = ${id} and s.name = 'Negotiation'`;

const dealLinks = ({ accountId }: Connected) =>
  sql`select crm_id from crm_links where account_id = ${accountId} and kind = 'deal'`;

describe.concurrent('create_out', () => {
  test('rd_station: a won deal is created and then closed there, though the CRM is busy in between', async () => {
    const acme = await connectTo(sql, rdStation, { direction: 'both', create_out: true });
    await finishRun(sql, acme, 'import');
    await acme.there.fault({ kind: 'rate_limited', method: 'PUT', path: '/crm/v2/deals/*' });
    await sql`
      insert into deals (tenant_id, name, value, stage_id, status)
      select ${acme.id}, 'Website', 100, s.id, 'won' from pipeline_stages s where s.tenant_id = ${acme.id} and s.name = 'Negotiation'`;
    const link = await waitFor(async () => (await dealLinks(acme))[0]);
    await waitFor(async () => (await acme.there.deal(link?.crm_id)).status === 'won', { limitMs: 60_000 });
    await untilSettled(sql, acme);
    expect([await acme.there.count('deal'), (await dealOf(sql, acme, link?.crm_id))?.status]).toEqual([
      1,
      'won',
    ]);
  });

  test('creates only what is read', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both', create_out: true, objects: ['deals'] });
    await finishRun(sql, acme, 'import');
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example')`;
    await addDeal(acme, 'Website');
    await waitFor(async () => (await dealLinks(acme)).length === 1);
    await untilSettled(sql, acme);
    expect(await acme.there.count('lead')).toBe(0);
  });

  test.each(drivers)(
    '$crm: a lead and its deal are created there once, though an answer is lost',
    async (driver) => {
      const acme = await connectTo(sql, driver, { direction: 'both', create_out: true });
      await finishRun(sql, acme, 'import');
      await acme.there.fault({ kind: 'cut_after', ...driver.writes.create });
      const [lead] = await sql`
      insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example') returning id`;
      await sql`
      insert into deals (tenant_id, name, value, stage_id, lead_id)
      select ${acme.id}, 'Website', 100, s.id, ${lead?.id} from pipeline_stages s where s.tenant_id = ${acme.id} and s.name = 'Negotiation'`;
      await waitFor(
        async () => (await sql`select from crm_links where account_id = ${acme.accountId}`).length === 2,
        { limitMs: 60_000 },
      );
      await untilSettled(sql, acme);
      await finishRun(sql, acme, 'reconcile');
      await untilSettled(sql, acme);
      expect([await acme.there.count('lead'), await acme.there.count('deal')]).toEqual([1, 1]);
      const [link] =
        await sql`select crm_id from crm_links where account_id = ${acme.accountId} and kind = 'deal'`;
      expect(await acme.there.deal(link?.crm_id)).toMatchObject({
        name: 'Website',
        value: 100,
        status: 'open',
        stage: 'Negotiation',
      });
      expect(await dealOf(sql, acme, link?.crm_id)).toMatchObject({ lead_id: lead?.id, name: 'Website' });
      const told = (await eventsOf(sql, acme)).map(({ type }) => type);
      expect(told).toEqual(['lead.created', 'deal.created']);
      expect(await openDifferences(sql, acme)).toHaveLength(0);
    },
  );

  test('a new record that is refused there is listed, and created after it changes', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both', create_out: true });
    await finishRun(sql, acme, 'import');
    await acme.there.fault({
      kind: 'error_before',
      method: 'POST',
      status: 400,
      body: { success: false, error: 'Not allowed' },
    });
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example')`;
    await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
    expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'refused_there', record: 'lead' }]);
    await sql`update leads set name = 'Gil dos Reis' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.count('lead')) === 1, { limitMs: 60_000 });
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test('an answer is lost twice, the second time minutes later: created once', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both', create_out: true });
    await finishRun(sql, acme, 'import');
    await acme.there.fault({ kind: 'cut_before', ...createsDeal });
    await addDeal(acme, 'Website');
    await acme.there.fault({ kind: 'cut_after', ...createsDeal });
    await waitFor(async () => {
      const [started] = await sql`
        update private.crm_creations set started_at = started_at - interval '5 minutes' where account_id = ${acme.accountId} returning started_at`;
      return started;
    });
    await waitFor(async () => (await dealLinks(acme)).length === 1, { limitMs: 60_000 });
    await untilSettled(sql, acme);
    expect(await acme.there.count('deal')).toBe(1);
  });

  test('renamed here after its answer was lost: created once, and renamed there', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both', create_out: true });
    await finishRun(sql, acme, 'import');
    await acme.there.fault({ kind: 'cut_after', ...createsDeal });
    await addDeal(acme, 'Website');
    await waitFor(async () => (await acme.there.count('deal')) === 1);
    await sql`update deals set name = 'Website 2' where tenant_id = ${acme.id}`;
    const link = await waitFor(async () => (await dealLinks(acme))[0], { limitMs: 60_000 });
    await waitFor(async () => (await acme.there.deal(link.crm_id)).name === 'Website 2');
    await untilSettled(sql, acme);
    expect(await acme.there.count('deal')).toBe(1);
    expect(await sql`select from deals where tenant_id = ${acme.id}`).toHaveLength(1);
  });

  test('two deals of one name and value: the lost answer of one does not take the link of the other', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both', create_out: true });
    await finishRun(sql, acme, 'import');
    await addDeal(acme, 'Website');
    await waitFor(async () => (await dealLinks(acme)).length === 1, { limitMs: 60_000 });
    await acme.there.fault({ kind: 'cut_after', ...createsDeal });
    await addDeal(acme, 'Website');
    await waitFor(async () => (await dealLinks(acme)).length === 2, { limitMs: 60_000 });
    await untilSettled(sql, acme);
    expect(await acme.there.count('deal')).toBe(2);
    expect(await sql`select from deals where tenant_id = ${acme.id}`).toHaveLength(2);
  });

  test('without it, nothing new is created there', async () => {
    const { acme } = await withContact(sql, pipedrive, { direction: 'both' });
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example')`;
    await sql`update leads set phone = '+55 11 90000-0000' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.requests()).some(pipedrive.isWrite));
    await untilSettled(sql, acme);
    expect(await acme.there.count('lead')).toBe(1);
  });
});
