// Differences that an admin resolves, or that resolve by themselves, and nothing beside them.
import { describe, expect, test } from 'vitest';
import { finishRun, openDifferences, untilSettled } from '../../support/connectors.ts';
import { connectTo, importAll, leadOf, untilLead, withContact } from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

const refusal = {
  kind: 'error_before',
  status: 400,
  body: { success: false, error: 'Name is not allowed' },
} as const;

describe.concurrent('resolving', () => {
  test('one field of two: the other one is neither sent nor resolved', async () => {
    const { acme, id } = await withContact(sql, pipedrive);
    await sql`update leads set name = 'Davi Nosso', phone = '+55 11 90000-0000' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await openDifferences(sql, acme)).length === 2);
    const [phone] = await sql`
      select id from admin.crm_differences where account_id = ${acme.accountId} and field = 'phone' and resolved_at is null`;
    await sql`select admin.resolve_crm_difference(${phone?.id}, 'ours')`;
    await waitFor(async () => (await acme.there.contact(id)).phone === '+55 11 90000-0000');
    await untilSettled(sql, acme);
    expect(await acme.there.contact(id)).toMatchObject({ name: 'Davi Lima' });
    expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Nosso' });
    expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'changed_here', field: 'name' }]);
  });

  test.each([
    ['ours', 1],
    ['theirs', 0],
  ] as const)('a new record that was refused there, %s', async (take, count) => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both', create_out: true });
    await finishRun(sql, acme, 'import');
    await acme.there.fault({ ...refusal, method: 'POST' });
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example')`;
    const difference = await waitFor(async () => {
      const [open] = await sql`
        select id, kind from admin.crm_differences where account_id = ${acme.accountId} and resolved_at is null`;
      return open;
    });
    expect(difference).toMatchObject({ kind: 'refused_there' });
    await sql`select admin.resolve_crm_difference(${difference.id}, ${take})`;
    await waitFor(async () => (await acme.there.count('lead')) === count, { limitMs: 60_000 });
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
    await sql`update leads set phone = '+55 11 90000-0000' where tenant_id = ${acme.id}`;
    await untilSettled(sql, acme);
    expect(await acme.there.count('lead')).toBe(count);
  });

  test('a refused value that is taken back here is no difference any more', async () => {
    const { acme } = await withContact(sql, pipedrive, { direction: 'both' });
    await acme.there.fault({ ...refusal, method: 'PATCH' });
    await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await openDifferences(sql, acme)).length === 1);
    await sql`update leads set name = 'Davi Lima' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await openDifferences(sql, acme)).length === 0);
  });

  test('a lead that was deleted there is no difference any more, once another contact has its address', async () => {
    const { acme, id } = await withContact(sql, pipedrive);
    await acme.there.remove('lead', id);
    await waitFor(async () => (await openDifferences(sql, acme)).length === 1);
    expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'deleted_there' }]);
    const other = only(await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }]));
    await untilLead(sql, acme, other);
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test('a new record that was refused there is no difference any more, once it is linked', async () => {
    const acme = await connectTo(sql, hubspot, { direction: 'both', create_out: true });
    await importAll(sql, acme);
    // HubSpot refuses a second contact with an address.
    const id = only(await acme.there.addContacts([{ name: 'Gil Reis', email: 'gil@client.example' }], true));
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil', 'gil@client.example')`;
    await waitFor(async () => (await openDifferences(sql, acme)).length === 1);
    expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'refused_there' }]);
    await finishRun(sql, acme, 'reconcile');
    await untilLead(sql, acme, id);
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
    expect(await sql`select from private.crm_creations where account_id = ${acme.accountId}`).toHaveLength(0);
  });
});
