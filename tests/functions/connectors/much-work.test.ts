// Much work at once: it is no outage, it gets on, and an admin can stop it.
import { describe, expect, test } from 'vitest';
import { finishRun, untilSettled } from '../../support/connectors.ts';
import { type Connected, connectTo, importAll } from '../../support/crms/connected.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { rdStation } from '../../support/crms/rd-station.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

const contacts = (count: number) =>
  [...Array(count).keys()].map((n) => ({ name: `Pessoa ${n}`, email: `p${n}@client.example` }));

const untilIdle = ({ accountId }: Connected) =>
  waitFor(async () => {
    const [job] = await sql`
      select locked_until is null as is_idle from jobs where name = 'sync-crm' and key = ${accountId}`;
    return job?.is_idle;
  });

describe.concurrent('much work', () => {
  test('that takes longer than the lease of the job waits for nothing', async () => {
    const acme = await connectTo(sql, rdStation, { direction: 'both' });
    await acme.there.addContacts(contacts(10), true);
    await importAll(sql, acme);
    await sql`update leads set phone = '+55 11 91111-1111' where tenant_id = ${acme.id}`;
    const failures = new Set<number>();
    await waitFor(
      async () => {
        const [account] = await sql`select failures from crm_accounts where id = ${acme.accountId}`;
        failures.add(account?.failures);
        return (await acme.there.requests({ method: 'PUT' })).length >= 10;
      },
      { limitMs: 120_000 },
    );
    expect([...failures]).toEqual([0]);
  });

  test('many deletions that a comparison finds, in a CRM that answers slowly', async () => {
    const acme = await connectTo(sql, pipedrive);
    const ids = await acme.there.addContacts(contacts(120), true);
    await importAll(sql, acme);
    await acme.there.loseWebhooks();
    for (const id of ids) await acme.there.remove('lead', id);
    await acme.there.fault({
      kind: 'slow',
      delayMs: 300,
      times: 1000,
      method: 'GET',
      path: '/api/v2/persons/*',
    });
    await finishRun(sql, acme, 'compare', { limitMs: 120_000 });
    expect(
      await sql`select from crm_links where account_id = ${acme.accountId} and state = 'linked'`,
    ).toHaveLength(0);
  });

  test('contacts without an address are not read for each of their deals', async () => {
    const acme = await connectTo(sql, rdStation);
    const ids = await acme.there.addContacts(
      contacts(3).map((contact) => ({ ...contact, email: null })),
      true,
    );
    await acme.there.addDeals(
      ids.map((contact, n) => ({ name: `Negócio ${n}`, value: n, contact })),
      true,
    );
    const run = await finishRun(sql, acme, 'import', { limitMs: 60_000 });
    expect(run).toMatchObject({ status: 'done', created: '3', skipped: '3' });
    expect(await acme.there.requests({ method: 'GET', path: '/crm/v2/contacts/*' })).toEqual([]);
  });

  test.each(['pause_crm', 'disconnect_crm'])('%s stops writing', async (act) => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both' });
    await acme.there.addContacts(contacts(20), true);
    await importAll(sql, acme);
    await untilSettled(sql, acme);
    const writes = async () => (await acme.there.requests({ method: 'PATCH' })).length;
    await sql`update leads set phone = '+55 11 91111-1111' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await writes()) > 0);
    await sql`select ${sql(`admin.${act}`)}(${acme.accountId})`;
    const before = await writes();
    await untilIdle(acme);
    // One may have been on its way.
    expect(await writes()).toBeLessThanOrEqual(before + 1);
  });
});
