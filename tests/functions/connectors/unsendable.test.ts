// What changed here and cannot be sent: owners, stages and contacts that the CRM does not have, and names of companies.
import { describe, expect, test } from 'vitest';
import {
  addUser,
  atHubspot,
  atPipedrive,
  connectCrm,
  finishRun,
  openDifferences,
  untilCrmIs,
  untilSettled,
} from '../../support/connectors.ts';
import {
  type Connected,
  connectTo,
  importAll,
  leadOf,
  untilLead,
  withContact,
} from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { createTenant } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();
const CARLA = { name: 'Carla Melo', email: 'carla@acme.example' };
const PHONE = '+55 11 91111-1111';

async function reconcile(acme: Connected) {
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
}

const addDeal = ({ id }: { id: string }, leadId: string | null = null, stage = 'Negotiation') => sql`
  insert into deals (tenant_id, name, value, stage_id, lead_id)
  select ${id}, 'Website', 100, s.id, ${leadId} from pipeline_stages s where s.tenant_id = ${id} and s.name = ${stage}`;

const untilCreated = ({ accountId }: { accountId: string }, kind: string): Promise<string> =>
  waitFor(
    async () =>
      (await sql`select crm_id from crm_links where account_id = ${accountId} and kind = ${kind}`)[0]?.crm_id,
    { limitMs: 60_000 },
  );

describe.concurrent('what the CRM does not have', () => {
  test('an owner: listed, and sent once the CRM has the user', async () => {
    const { acme, id } = await withContact(sql, pipedrive, { direction: 'both' });
    const carla = await addUser(sql, acme, CARLA);
    await sql`update leads set owner_id = ${carla.id}, phone = ${PHONE} where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.contact(id)).phone === PHONE);
    await reconcile(acme);
    expect(await openDifferences(sql, acme)).toMatchObject([
      { kind: 'unknown_owner', record: 'lead', field: 'owner_id', ours: carla.id },
    ]);
    const user = await atPipedrive().add(acme.vendorId, 'users', CARLA);
    await reconcile(acme);
    expect((await atPipedrive().record(acme.vendorId, 'persons', id)).owner_id).toBe(user.id);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test('a stage: listed, and sent once it is mapped', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both' });
    const id = only(await acme.there.addDeals([{ name: 'Website', value: 100, stage: 'Negotiation' }], true));
    await importAll(sql, acme);
    const [stage] =
      await sql`select id from pipeline_stages where tenant_id = ${acme.id} and name = 'Proposal'`;
    await sql`update deals set stage_id = ${stage?.id}, value = 250 where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.deal(id)).value === 250);
    await reconcile(acme);
    expect(await openDifferences(sql, acme)).toMatchObject([
      { kind: 'unmapped_stage', record: 'deal', field: 'stage_id', ours: stage?.id },
    ]);
    await sql`
      select admin.map_crm_stage(${acme.accountId}, s.crm_id, ${stage?.id}) from admin.crm_stages s
      where s.account_id = ${acme.accountId} and s.name = 'Proposta'`;
    await waitFor(async () => (await acme.there.deal(id)).stage === 'Proposta');
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test('the owner of a lead that is created there: listed, and sent once the CRM has the user', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both', create_out: true });
    await finishRun(sql, acme, 'import');
    await acme.there.loseWebhooks();
    const carla = await addUser(sql, acme, CARLA);
    await sql`
      insert into leads (tenant_id, name, email, owner_id) values (${acme.id}, 'Gil Reis', 'gil@client.example', ${carla.id})`;
    const id = await untilCreated(acme, 'lead');
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toMatchObject([
      { kind: 'unknown_owner', record: 'lead', field: 'owner_id', ours: carla.id },
    ]);
    const user = await atPipedrive().add(acme.vendorId, 'users', CARLA);
    await reconcile(acme);
    expect((await atPipedrive().record(acme.vendorId, 'persons', id)).owner_id).toBe(user.id);
    expect(await leadOf(sql, acme, id)).toMatchObject({ owner_id: carla.id });
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test('the contact of a deal that is created there: sent once the lead is linked', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both' });
    await importAll(sql, acme);
    const [lead] = await sql`
      insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example') returning id`;
    await connectCrm(sql, acme.id, 'pipedrive', acme.credentials, { create_out: true });
    await untilCrmIs(sql, acme.accountId, 'active');
    await addDeal(acme, lead?.id);
    const deal = await untilCreated(acme, 'deal');
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toMatchObject([
      { record: 'deal', field: 'lead_id', ours: lead?.id },
    ]);
    const contact = only(await acme.there.addContacts([{ name: 'Gil Reis', email: 'gil@client.example' }]));
    await untilLead(sql, acme, contact);
    await waitFor(
      async () => (await atPipedrive().record(acme.vendorId, 'deals', deal)).person_id === Number(contact),
    );
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });
});

test.concurrent.each([
  ['of two pipelines', 'Negotiation'],
  ['that the CRM does not have', 'Proposal'],
])('pipelines: a new deal in a stage %s goes to one of them, and its changes are read', async (_, stage) => {
  const tenant = await createTenant(sql);
  const {
    id: vendorId,
    domain,
    apiToken,
  } = await atPipedrive().createAccount({
    pipelines: ['Parcerias', 'Vendas'].map((name) => ({ name, stages: ['Prospecting', 'Negotiation'] })),
  });
  const { pipelines } = (await atPipedrive().account(vendorId, 'rows')).rows;
  const { id: sales } = only(pipelines.filter(({ name }) => name === 'Vendas'));
  const credentials = { domain, api_token: apiToken };
  const settings = { direction: 'both', create_out: true, pipelines: [String(sales)] };
  const accountId = await connectCrm(sql, tenant.id, 'pipedrive', credentials, settings);
  await untilCrmIs(sql, accountId, 'active');
  await importAll(sql, { ...tenant, accountId, vendorId, credentials });
  await addDeal(tenant, null, stage);
  const id = await untilCreated({ accountId }, 'deal');
  expect((await atPipedrive().record(vendorId, 'deals', id)).pipeline_id).toBe(sales);
  await atPipedrive().patch(vendorId, 'deals', id, { value: 300 });
  await waitFor(
    async () => (await sql`select from deals where tenant_id = ${tenant.id} and value = 300`).length === 1,
  );
});

test.concurrent('the name of a company that changed here is listed, and ours counts with "placar"', async ({
  expect,
}) => {
  const acme = await connectTo(sql, hubspot, { conflict: 'placar' });
  const [contact] = await atHubspot().addMany(acme.vendorId, 'contacts', [
    { firstname: 'Ana', email: 'ana@client.example', company: 'Alfa', phone: '1' },
  ]);
  await importAll(sql, acme);
  await sql`update leads set company = 'Beta', phone = '2' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
  expect(await openDifferences(sql, acme)).toMatchObject([
    { kind: 'changed_here', field: 'company', ours: 'Beta', theirs: 'Alfa' },
    { kind: 'changed_here', field: 'phone', ours: '2', theirs: '1' },
  ]);
  await atHubspot().patch(acme.vendorId, 'contacts', contact?.id ?? '', {
    company: 'Gama',
    phone: '3',
    jobtitle: 'CEO',
  });
  const lead = await untilLead(sql, acme, contact?.id ?? '', ({ position }) => position === 'CEO');
  expect(lead).toMatchObject({ company: 'Beta', phone: '2' });
  const [difference] = await sql`
    select id from admin.crm_differences where account_id = ${acme.accountId} and field = 'company' and resolved_at is null`;
  await sql`select admin.resolve_crm_difference(${difference?.id}, 'ours')`;
  await reconcile(acme);
  expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'changed_here', field: 'phone' }]);
});

test.concurrent('of several users there with one address, the one that the CRM lists first is sent', async ({
  expect,
}) => {
  const acme = await connectTo(sql, pipedrive);
  const inspect = (ids: string[]) => {
    const users = ids.map((id) => ({ id, email: CARLA.email, name: CARLA.name }));
    const inspection = { users, stages: [], activity_types: [] };
    return sql`select app.record_crm_inspection(${acme.accountId}, ${JSON.stringify(inspection)}::text::jsonb)`;
  };
  const { id } = await addUser(sql, acme, CARLA);
  const sent = async () => {
    const [row] = await sql`
      select private.in_terms_of_crm(a, jsonb_build_object('owner_id', ${id}::text), null) ->> 'owner' as owner
      from crm_accounts a where a.id = ${acme.accountId}`;
    return row?.owner;
  };
  await inspect(['9001', '9002', '10001']);
  expect(await sent()).toBe('9001');
  await inspect(['9002', '10001']);
  expect(await sent()).toBe('9002');
});

test.concurrent('of several users with an address, deals go to the one who is active', async () => {
  const acme = await connectTo(sql, pipedrive, { direction: 'both' });
  const { id: carla } = await addUser(sql, acme, { name: 'Carla Melo', email: 'carla@acme.example' });
  const users = [false, true].map((active) => ({
    name: 'Carla Melo',
    email: 'carla@acme.example',
    active_flag: active,
  }));
  const [, active] = await atPipedrive().addMany(acme.vendorId, 'users', users);
  const deal = only(await acme.there.addDeals([{ name: 'Website', value: 100 }], true));
  await importAll(sql, acme);
  await sql`update deals set owner_id = ${carla} where tenant_id = ${acme.id}`;
  await waitFor(
    async () => (await atPipedrive().record(acme.vendorId, 'deals', deal)).owner_id === active?.id,
  );
  await untilSettled(sql, acme);
});
