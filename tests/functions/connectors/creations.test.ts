// Records that are new here and created in the CRM.
import { describe, expect, test } from 'vitest';
import { eventsOf, finishRun, openDifferences, untilSettled } from '../../support/connectors.ts';
import { connectTo, dealOf, drivers, withContact } from '../../support/crms/connected.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

describe.concurrent('create_out', () => {
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

  test('without it, nothing new is created there', async () => {
    const { acme } = await withContact(sql, pipedrive, { direction: 'both' });
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example')`;
    await sql`update leads set phone = '+55 11 90000-0000' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.requests()).some(pipedrive.isWrite));
    await untilSettled(sql, acme);
    expect(await acme.there.count('lead')).toBe(1);
  });
});
