// Accounts that were disconnected, and are connected again.
import { expect, test } from 'vitest';
import { connectCrm, openDifferences, untilCrmIs, untilSettled } from '../../support/connectors.ts';
import { connectTo, untilLead, withContact } from '../../support/crms/connected.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

test.concurrent('disconnected, forgotten, and connected with another company at once', async ({ expect }) => {
  const acme = await connectTo(sql, pipedrive, { direction: 'both', on_delete: 'delete' });
  const { vendorId, credentials } = await pipedrive.createAccount();
  await sql.begin(async (tx) => {
    await tx`select admin.disconnect_crm(${acme.accountId})`;
    await tx`select admin.forget_crm(${acme.accountId})`;
    await tx`select admin.connect_crm(${acme.id}, 'pipedrive', ${JSON.stringify(credentials)})`;
  });
  const account = await untilCrmIs(sql, acme.accountId, 'active');
  expect(account.settings).toEqual({});
  expect(await pipedrive.at(vendorId).webhookCount()).toBeGreaterThan(0);
});

test.concurrent.each(['both', 'in'] as const)(
  'direction %s: what changed here while it was disconnected is made up for',
  async (direction) => {
    const { acme, id } = await withContact(sql, pipedrive, { direction });
    await sql`select admin.disconnect_crm(${acme.accountId})`;
    await waitFor(
      async () =>
        (await sql`select from private.crm_secrets where account_id = ${acme.accountId}`).length === 0,
    );
    await sql`update leads set phone = '+55 11 93333-3333' where tenant_id = ${acme.id}`;
    // As if the contact had not changed for long: the reconciliation does not list it.
    await sql`update crm_accounts set reconciled_to = now() + interval '1 hour' where id = ${acme.accountId}`;
    await connectCrm(sql, acme.id, 'pipedrive', acme.credentials);
    await untilCrmIs(sql, acme.accountId, 'active');
    if (direction === 'both')
      await waitFor(async () => (await acme.there.contact(id)).phone === '+55 11 93333-3333');
    else {
      await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
      expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'changed_here', field: 'phone' }]);
    }
    await untilSettled(sql, acme);
  },
);

test.concurrent('what changed there while it was disconnected is read, also if that canceled a reconciliation', async () => {
  const { acme, id } = await withContact(sql, pipedrive);
  await sql`select admin.reconcile_crm(${acme.accountId}), admin.disconnect_crm(${acme.accountId})`;
  await waitFor(
    async () =>
      (await sql`select from private.crm_secrets where account_id = ${acme.accountId}`).length === 0,
  );
  await acme.there.changeContact(id, { name: 'Davi de Lima' });
  await connectCrm(sql, acme.id, 'pipedrive', acme.credentials);
  await untilLead(sql, acme, id, ({ name }) => name === 'Davi de Lima');
});

test.concurrent('with create_out: what was created here while it was disconnected is created there', async ({
  expect,
}) => {
  const { acme, id } = await withContact(sql, pipedrive, { direction: 'both', create_out: true });
  await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Ivo Reis', 'ivo@client.example')`;
  await waitFor(async () => (await acme.there.count('lead')) === 2, { limitMs: 60_000 });
  await untilSettled(sql, acme);
  await sql`select admin.disconnect_crm(${acme.accountId})`;
  await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example')`;
  await connectCrm(sql, acme.id, 'pipedrive', acme.credentials);
  await waitFor(async () => (await acme.there.count('lead')) === 3, { limitMs: 60_000 });
  await untilSettled(sql, acme);
  expect(await acme.there.count('lead')).toBe(3);
  expect(await acme.there.contact(id)).toMatchObject({ name: 'Davi Lima' });
});
