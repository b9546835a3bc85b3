// Tenants and persons: what others cannot see, exports, erasures, forgetting an account.
import { describe, expect, test } from 'vitest';
import { connectCrm, finishRun, untilCrmIs, untilSettled } from '../../support/connectors.ts';
import { connectTo, importAll, leadOf, refusalOf, untilLead } from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { createToken, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

/** Tables with a row of the tenant, or any row, that contains a text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await sql`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'private') and has_table_privilege(c.oid, 'select')`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql`select from ${sql.unsafe(name)} t where strpos(t::text, ${text}) > 0 limit 1`;
    if (rows.length > 0) found.push(name);
  }
  return found;
}

const unique = () => crypto.randomUUID().slice(0, 8);

describe.concurrent('a client of the tenant', () => {
  test('sees no table of the connector, and its own external ids stay', async () => {
    const acme = await connectTo(sql, pipedrive);
    const { token } = await createToken(sql, acme.id);
    const made = await records(token, 'POST', '/leads', {
      name: 'Davi Lima',
      email: 'davi@client.example',
      external_id: 'mine-1',
    });
    expect(made.status).toBe(201);
    const [before] = await sql`select external_ids from leads where tenant_id = ${acme.id}`;
    const id = only(
      await acme.there.addContacts([{ name: 'Davi de Lima', email: 'davi@client.example' }], true),
    );
    await importAll(sql, acme);
    const shown = await records(token, 'GET', '/leads/external/mine-1');
    expect(shown).toMatchObject({
      status: 200,
      body: { data: { name: 'Davi de Lima', external_id: 'mine-1' } },
    });
    expect(JSON.stringify(shown.body)).not.toContain(acme.accountId);
    expect((await leadOf(sql, acme, id))?.external_ids).toEqual(before?.external_ids);
    const added = only(await acme.there.addContacts([{ name: 'Elis Prado', email: 'elis@client.example' }]));
    await untilLead(sql, acme, added);
    expect((await leadOf(sql, acme, added))?.external_ids).toEqual({});
  });

  test.each(['api', 'payments', 'anon', 'authenticated', 'service_role'])(
    'the role %s reads and writes none of its tables',
    async (role) => {
      const [known] = await sql`select from pg_roles where rolname = ${role}`;
      if (!known) return;
      const tables = await sql`
      select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'v') and c.relname like 'crm%' and n.nspname in ('public', 'private', 'admin')`;
      expect(tables.length).toBeGreaterThan(10);
      for (const { name } of tables) {
        const [right] = await sql`
        select has_table_privilege(${role}, ${name}, 'select, insert, update, delete') as any`;
        expect([name, right?.any]).toEqual([name, false]);
      }
      const functions = await sql`
      select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('app', 'admin', 'private') and p.proname ~ 'crm' and has_function_privilege(${role}, p.oid, 'execute')`;
      expect(functions.map(({ name }) => name)).toEqual([]);
    },
  );

  test('every table of the connector has row level security', async () => {
    const open = await sql`
      select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and c.relname like 'crm%' and n.nspname in ('public', 'private') and not c.relrowsecurity`;
    expect(open).toHaveLength(0);
  });
});

test('a link of one tenant never leads to a record of another', async () => {
  const [one, other] = await Promise.all([connectTo(sql, pipedrive), connectTo(sql, pipedrive)]);
  const id = only(await one.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true));
  await sql`insert into leads (tenant_id, name, email) values (${other.id}, 'Davi Alheio', 'davi@client.example')`;
  await importAll(sql, one);
  expect(await leadOf(sql, one, id)).toMatchObject({ tenant_id: one.id, name: 'Davi Lima' });
  expect(await sql`select name from leads where tenant_id = ${other.id}`).toEqual([{ name: 'Davi Alheio' }]);
  expect(await sql`select from crm_links where account_id = ${other.accountId}`).toHaveLength(0);
  const [lead] = await sql`select id from leads where tenant_id = ${other.id}`;
  expect(
    await refusalOf(sql`
    insert into crm_links (tenant_id, account_id, kind, placar_id, crm_id) values (${other.id}, ${one.accountId}, 'lead', ${lead?.id}, '1')`),
  ).toMatch(/foreign key/);
});

test('a person is exported and erased with webhooks, previews, differences and agreed values', async () => {
  const acme = await connectTo(sql, pipedrive);
  const [first, phone, last] = [
    `Zulmira${unique()}`,
    `+55 11 9${Date.now() % 10 ** 8}`,
    `Quirino${unique()}`,
  ];
  const email = `zulmira-${unique()}@client.example`;
  const [id = '', twin = ''] = await acme.there.addContacts(
    [
      { name: `${first} ${last}`, email, phone },
      { name: `${first} Segunda`, email },
      { name: 'Outra Pessoa', email: `outra-${unique()}@client.example` },
    ],
    true,
  );
  await finishRun(sql, acme, 'preview');
  await importAll(sql, acme);
  await acme.there.changeContact(id, { name: `${first} Nova ${last}` });
  await untilLead(sql, acme, id, ({ name }) => name.includes('Nova'));
  await sql`update leads set name = ${`${first} Daqui`} where tenant_id = ${acme.id} and email = ${email}`;
  await waitFor(
    async () =>
      (await sql`select from crm_differences where account_id = ${acme.accountId} and kind = 'changed_here'`)
        .length > 0,
  );
  await untilSettled(sql, acme);
  const [exported] = await sql`select admin.export_person(${acme.id}, ${email})::text as text`;
  for (const part of ['crm_events', 'crm_links', 'crm_differences', 'crm_preview_rows'])
    expect(exported?.text).toContain(part);
  expect(exported?.text).toContain(`${first} Nova ${last}`);
  expect(exported?.text).not.toContain('Outra Pessoa');
  // Her second contact has no record here.
  const { crm_preview_rows: previews, crm_differences: differences } = JSON.parse(exported?.text);
  expect(previews).toContainEqual(expect.objectContaining({ crm_id: twin, placar_id: null }));
  expect(differences).toContainEqual(expect.objectContaining({ crm_id: twin, theirs: email }));
  await sql`select admin.erase_person(${acme.id}, ${email})`;
  await untilSettled(sql, acme);
  // The job that removes the person's account at Auth needs the address until it is done.
  await waitFor(
    async () =>
      (await sql`select from jobs where finished_at is null and strpos(key, ${email}) > 0`).length === 0,
  );
  expect(await tablesWith(email)).toEqual([]);
  expect(await tablesWith(first)).toEqual([]);
  expect(await tablesWith(last)).toEqual([]);
  expect(await tablesWith(phone)).toEqual([]);
  // A CRM that sends the person again makes a new record.
  await acme.there.changeContact(id, { name: 'Zulmira de Novo' });
  await untilLead(sql, acme, id, ({ name }) => name === 'Zulmira de Novo');
});

test('HubSpot sends events of several persons in one body: an erasure leaves nothing of its own', async () => {
  const acme = await connectTo(sql, hubspot);
  const name = `Zenaide${unique()}`;
  const email = `zenaide-${unique()}@client.example`;
  const [one = '', other = ''] = await acme.there.addContacts(
    [
      { name: 'Davi Lima', email: 'davi@client.example' },
      { name: 'Zenaide Antes', email },
    ],
    true,
  );
  await importAll(sql, acme);
  await Promise.all([
    acme.there.changeContact(one, { name: 'Davi de Lima' }),
    acme.there.changeContact(other, { name }),
  ]);
  await untilLead(sql, acme, other, (lead) => lead.name === name);
  await untilLead(sql, acme, one, (lead) => lead.name === 'Davi de Lima');
  await untilSettled(sql, acme);
  expect(await tablesWith(name)).toContain('crm_events');
  await sql`select admin.erase_person(${acme.id}, ${email})`;
  expect(await tablesWith(name)).toEqual([]);
});

test('a forgotten account leaves no row, and its records stay; a deleted tenant takes all along', async () => {
  const [acme, other] = await Promise.all([connectTo(sql, pipedrive), connectTo(sql, pipedrive)]);
  for (const tenant of [acme, other]) {
    await tenant.there.addContacts(
      [
        { name: 'Davi Lima', email: 'davi@client.example' },
        { name: 'Sem Email', email: null },
      ],
      true,
    );
    await finishRun(sql, tenant, 'preview');
    await importAll(sql, tenant);
  }
  expect(await acme.there.webhookCount()).toBeGreaterThan(0);
  // Forgotten right away, it is no longer listed, and its webhooks at the CRM are still removed.
  await sql.begin(async (tx) => {
    await tx`select admin.disconnect_crm(${acme.accountId})`;
    await tx`select admin.forget_crm(${acme.accountId})`;
  });
  expect(await sql`select from admin.crm_accounts where id = ${acme.accountId}`).toEqual([]);
  expect(await refusalOf(sql`select admin.forget_crm(${acme.accountId})`)).toContain('no such');
  await waitFor(async () => (await sql`select from crm_accounts where id = ${acme.accountId}`).length === 0);
  expect(await acme.there.webhookCount()).toBe(0);
  expect((await tablesWith(acme.accountId)).filter((table) => /crm|jobs|vault/.test(table))).toEqual([]);
  expect(await sql`select from leads where tenant_id = ${acme.id}`).toHaveLength(1);
  expect(await sql`select from vault.secrets where name like ${`%${acme.accountId}`}`).toHaveLength(0);
  const again = await connectCrm(sql, acme.id, 'pipedrive', acme.credentials);
  expect(again).not.toBe(acme.accountId);
  await untilCrmIs(sql, again, 'active');
  const run = await finishRun(sql, { ...acme, accountId: again }, 'import');
  expect(run).toMatchObject({ status: 'done', linked: '1', created: '0' });

  const [slug] = await sql`select slug from tenants where id = ${other.id}`;
  await sql`select admin.delete_tenant(${other.id}, ${slug?.slug})`;
  await waitFor(async () => (await sql`select from tenants where id = ${other.id}`).length === 0);
  expect((await tablesWith(other.accountId)).filter((table) => /crm/.test(table))).toEqual([]);
  expect(await sql`select from vault.secrets where name like ${`%${other.accountId}`}`).toHaveLength(0);
});
