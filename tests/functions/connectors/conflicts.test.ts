// Changes of both sides: conflicts, differences and what resolves them, pauses.
import { expect, test } from 'vitest';
import {
  addUser,
  finishRun,
  openDifferences,
  PEOPLE,
  untilCrmIs,
  untilSettled,
} from '../../support/connectors.ts';
import { connectTo, dealOf, drivers, leadOf, untilLead, withContact } from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

test.concurrent.each([
  ['crm', 'Davi Deles'],
  ['placar', 'Davi Nosso'],
  ['latest', 'Davi Deles'],
] as const)('a field changed on both sides, rule %s: %s', async (conflict, name) => {
  const { acme, id } = await withContact(sql, pipedrive, { direction: 'both', conflict });
  await acme.there.loseWebhooks();
  await sql`select admin.pause_crm(${acme.accountId})`;
  await sql`update leads set name = 'Davi Nosso', position = 'CEO' where tenant_id = ${acme.id}`;
  await waitFor(async () => {
    // Pipedrive's times are whole seconds.
    const [row] =
      await sql`select clock_timestamp() > max(updated_at) + interval '1.1 seconds' as is_later from leads where tenant_id = ${acme.id}`;
    return row?.is_later;
  });
  await acme.there.changeContact(id, { name: 'Davi Deles', phone: '+55 11 91111-1111' });
  await sql`select admin.resume_crm(${acme.accountId})`;
  await waitFor(
    async () => (await acme.there.contact(id)).name === name && (await leadOf(sql, acme, id))?.name === name,
  );
  await untilCrmIs(sql, acme.accountId, 'active');
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name, position: 'CEO', phone: '+55 11 91111-1111' });
  expect(await acme.there.contact(id)).toMatchObject({ name, phone: '+55 11 91111-1111' });
  expect(await openDifferences(sql, acme)).toHaveLength(0);
});

test('rule latest: ours, if it is the later one', async () => {
  const { acme, id } = await withContact(sql, pipedrive, { direction: 'both', conflict: 'latest' });
  await acme.there.loseWebhooks();
  await acme.there.changeContact(id, { name: 'Davi Deles' });
  await waitFor(async () => {
    const [row] =
      await sql`select clock_timestamp() > ${(await sql`select clock_timestamp() as now`)[0]?.now} as ok`;
    return row?.ok;
  });
  await sql`update leads set name = 'Davi Nosso', updated_at = now() where tenant_id = ${acme.id}`;
  await waitFor(async () => (await acme.there.contact(id)).name === 'Davi Nosso');
  await untilSettled(sql, acme);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Nosso' });
});

test.concurrent('direction in: what changed here is kept and listed, until theirs changes too', async ({
  expect,
}) => {
  const { acme, id } = await withContact(sql, pipedrive);
  await acme.there.forgetRequests();
  await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await openDifferences(sql, acme)).length > 0, { limitMs: 10_000 });
  expect(await openDifferences(sql, acme)).toMatchObject([
    { kind: 'changed_here', field: 'name', ours: 'Davi Nosso', theirs: 'Davi Lima' },
  ]);
  await acme.there.changeContact(id, { phone: '+55 11 91111-1111' });
  await untilLead(sql, acme, id, ({ phone }) => phone !== null);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Nosso' });
  expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'changed_here' }]);
  expect((await acme.there.requests()).filter(pipedrive.isWrite)).toHaveLength(0);
  await acme.there.changeContact(id, { name: 'Davi Deles' });
  await untilLead(sql, acme, id, ({ name }) => name === 'Davi Deles');
  await untilSettled(sql, acme);
  expect(await openDifferences(sql, acme)).toHaveLength(0);
});

test.concurrent.each(['ours', 'theirs'] as const)('an admin takes %s', async (take) => {
  const { acme, id } = await withContact(sql, pipedrive);
  await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
  const [difference] =
    await sql`select id from admin.crm_differences where account_id = ${acme.accountId} and resolved_at is null`;
  await sql`select admin.resolve_crm_difference(${difference?.id}, ${take})`;
  const name = take === 'ours' ? 'Davi Nosso' : 'Davi Lima';
  await waitFor(
    async () => (await acme.there.contact(id)).name === name && (await leadOf(sql, acme, id))?.name === name,
  );
  await untilSettled(sql, acme);
  expect(await openDifferences(sql, acme)).toHaveLength(0);
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name });
  expect(await openDifferences(sql, acme)).toHaveLength(0);
});

test.concurrent('a value that the CRM refuses is listed, not repeated, and sent again after a change', async ({
  expect,
}) => {
  const { acme, id } = await withContact(sql, pipedrive, { direction: 'both' });
  await acme.there.forgetRequests();
  await acme.there.fault({
    kind: 'error_before',
    method: 'PATCH',
    status: 400,
    body: { success: false, error: 'Name is not allowed' },
  });
  await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
  const [difference] = await openDifferences(sql, acme);
  expect(difference).toMatchObject({ kind: 'refused_there', record: 'lead' });
  expect(JSON.stringify(difference?.theirs)).toContain('Name is not allowed');
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  expect((await acme.there.requests()).filter(pipedrive.isWrite)).toHaveLength(1);
  await sql`update leads set name = 'Davi Nosso Lima' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await acme.there.contact(id)).name === 'Davi Nosso Lima');
  await untilSettled(sql, acme);
  expect(await openDifferences(sql, acme)).toHaveLength(0);
});

test.concurrent.each(drivers)(
  '$crm: a write that is forbidden is listed in its words, and the account goes on',
  async (driver) => {
    const { acme, id } = await withContact(sql, driver, { direction: 'both' });
    const body = { error: 'Missing scope', message: 'Missing scope', errors: [{ detail: 'Missing scope' }] };
    await acme.there.fault({ kind: 'error_before', status: 403, body, ...driver.writes.update });
    await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
    const [difference] = await openDifferences(sql, acme);
    expect(difference).toMatchObject({
      kind: 'refused_there',
      theirs: expect.stringContaining('Missing scope'),
    });
    const [account] = await sql`select status from admin.crm_accounts where id = ${acme.accountId}`;
    expect(account?.status).toBe('active');
    await acme.there.changeContact(id, { phone: '+55 11 95555-4444' });
    await waitFor(async () => (await acme.there.contact(id)).name === 'Davi Nosso');
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  },
);

test.concurrent('paused: webhooks are kept, nothing is read or written; resumed, all of it is made up for', async ({
  expect,
}) => {
  const { acme, id } = await withContact(sql, pipedrive, { direction: 'both' });
  await sql`select admin.pause_crm(${acme.accountId})`;
  await acme.there.forgetRequests();
  await acme.there.changeContact(id, { name: 'Davi Deles' });
  await sql`update leads set position = 'CEO' where tenant_id = ${acme.id}`;
  await waitFor(
    async () => (await sql`select from crm_events where account_id = ${acme.accountId}`).length > 0,
  );
  await waitFor(async () => {
    const [row] =
      await sql`select bool_and(due_at < clock_timestamp() - interval '1 second') as is_over from private.crm_pending where account_id = ${acme.accountId}`;
    return row?.is_over;
  });
  expect(await acme.there.requests()).toHaveLength(0);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Lima' });
  await sql`select admin.resume_crm(${acme.accountId})`;
  await untilLead(sql, acme, id, ({ name }) => name === 'Davi Deles');
  await waitFor(async () => (await acme.there.requests()).some(pipedrive.isWrite));
  await untilSettled(sql, acme);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Deles', position: 'CEO' });
});

test.concurrent('differences heal when their cause is gone', async ({ expect }) => {
  const acme = await connectTo(sql, pipedrive);
  const bruno = PEOPLE[1];
  if (!bruno) throw new Error('there are two people');
  const [one, other, twin] = await acme.there.addContacts(
    [
      { name: 'Davi Lima', email: 'davi@client.example' },
      { name: 'Sem Email', email: null },
      { name: 'Davi Segundo', email: 'DAVI@client.example' },
    ],
    true,
  );
  const deal = only(
    await acme.there.addDeals(
      [{ name: 'Website', value: 100, contact: other ?? '', stage: 'Proposta', owner: bruno.email }],
      true,
    ),
  );
  await finishRun(sql, acme, 'import');
  const kinds = async () => (await openDifferences(sql, acme)).map(({ kind, record }) => `${record} ${kind}`);
  expect(await kinds()).toEqual(
    ['lead duplicate_email', 'lead missing_email', 'deal unknown_owner', 'deal unmapped_stage'].sort(
      (a, b) => a.split(' ')[1]?.localeCompare(b.split(' ')[1] ?? '') ?? 0,
    ),
  );
  expect(await dealOf(sql, acme, deal)).toMatchObject({ owner_id: null, lead_id: null });
  expect(await leadOf(sql, acme, twin ?? '')).toBeUndefined();
  await addUser(sql, acme, bruno);
  const [theirs] =
    await sql`select crm_id from admin.crm_stages where account_id = ${acme.accountId} and name = 'Proposta'`;
  await sql`
    select admin.map_crm_stage(${acme.accountId}, ${theirs?.crm_id}, s.id) from pipeline_stages s
    where s.tenant_id = ${acme.id} and s.name = 'Proposal'`;
  await acme.there.remove('lead', one ?? '');
  await sql`delete from leads where tenant_id = ${acme.id} and email = 'davi@client.example'`;
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  expect(await dealOf(sql, acme, deal)).toMatchObject({ stage: 'Proposal' });
  expect((await dealOf(sql, acme, deal))?.owner_id).not.toBeNull();
  expect(await leadOf(sql, acme, twin ?? '')).toMatchObject({ state: 'linked' });
  expect((await kinds()).filter((kind) => kind !== 'lead deleted_there')).toEqual(['lead missing_email']);
});

test.concurrent.each(['both', 'in'] as const)(
  'direction %s: a read that is older than what was applied does not hold back a change here',
  async (direction) => {
    const { acme, id } = await withContact(sql, pipedrive, { direction });
    // As if a replica of the CRM lagged behind.
    await sql`update crm_links set crm_updated_at = now() + interval '1 hour' where account_id = ${acme.accountId}`;
    await acme.there.loseWebhooks();
    await acme.there.changeContact(id, { phone: '+55 11 95555-4444' });
    await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
    if (direction === 'both') await waitFor(async () => (await acme.there.contact(id)).name === 'Davi Nosso');
    else {
      await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
      expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'changed_here', ours: 'Davi Nosso' }]);
    }
    await untilSettled(sql, acme);
    expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Nosso', phone: null });
  },
);
