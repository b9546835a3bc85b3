// A tenant and its company at Pipedrive: connecting, previews, imports, changes both ways.
import { beforeAll, expect, test } from 'vitest';
import {
  addUser,
  atPipedrive,
  connectPipedriveTenant,
  eventsOf,
  finishRun,
  openDifferences,
  untilSettled,
} from '../../support/connectors.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();
let pipedrive: ReturnType<typeof atPipedrive>;
beforeAll(() => {
  pipedrive = atPipedrive();
});

const person = (name: string, email: string | null, more: object = {}) => ({
  name,
  ...(email && { emails: [{ value: email, primary: true, label: 'work' }] }),
  ...more,
});

test('a preview lists what an import would do, and changes nothing', async () => {
  const acme = await connectPipedriveTenant(sql);
  await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Clara Nunes', 'clara@client.example')`;
  await pipedrive.addMany(acme.vendorId, 'persons', [
    person('Davi Lima', 'davi@client.example'),
    person('Elis Prado', 'elis@client.example'),
    person('Fabio Melo', 'fabio@client.example'),
    person('Clara Nunes', 'Clara@client.example'),
    person('Sem Email', null),
  ]);
  const run = await finishRun(sql, acme, 'preview');
  expect(run).toMatchObject({ status: 'done', read: '5', created: '3', linked: '1', skipped: '1' });
  expect(
    await sql`select action, count(*)::integer from admin.crm_preview where run_id = ${run.id} group by 1 order by 1`,
  ).toEqual([
    { action: 'create', count: 3 },
    { action: 'link', count: 1 },
    { action: 'skip', count: 1 },
  ]);
  expect(await sql`select from leads where tenant_id = ${acme.id}`).toHaveLength(1);
  expect(await sql`select from crm_links where account_id = ${acme.accountId}`).toHaveLength(0);
});

test('a preview and the import skip the same contacts of one address', async () => {
  const acme = await connectPipedriveTenant(sql);
  await sql`
    insert into leads (tenant_id, name, email) values
    (${acme.id}, 'Clara Nunes', 'clara@client.example'), (${acme.id}, 'Davi Lima', 'davi@client.example')`;
  await pipedrive.addMany(acme.vendorId, 'persons', [
    person('Clara Nunes', 'clara@client.example'),
    person('Clara N.', 'clara@client.example'),
    person('Davi de Lima', 'davi@client.example'),
    person('D. Lima', 'davi@client.example'),
    person('Elis Prado', 'elis@client.example'),
    person('E. Prado', 'elis@client.example'),
  ]);
  const counts = { read: '6', created: '1', linked: '1', updated: '1', skipped: '3' };
  expect(await finishRun(sql, acme, 'preview')).toMatchObject(counts);
  expect(await finishRun(sql, acme, 'import')).toMatchObject(counts);
});

test('an import is silent, and what changes afterwards is told aloud', async () => {
  const acme = await connectPipedriveTenant(sql);
  const ana = await addUser(sql, acme);
  const { rows } = await pipedrive.account(acme.vendorId, 'rows');
  const [stage, later] = rows.stages;
  const [ownerThere] = rows.users;
  const [davi] = await pipedrive.addMany(acme.vendorId, 'persons', [
    person('Davi Lima', 'davi@client.example', { owner_id: ownerThere?.id }),
  ]);
  const [deal] = await pipedrive.addMany(acme.vendorId, 'deals', [
    {
      title: 'Website',
      value: 1250.5,
      currency: 'BRL',
      person_id: davi?.id,
      owner_id: ownerThere?.id,
      stage_id: stage?.id,
    },
  ]);
  const run = await finishRun(sql, acme, 'import');
  expect(run).toMatchObject({ status: 'done', read: '2', created: '2' });
  const [ours] =
    await sql`select d.*, l.email from deals d join leads l on l.id = d.lead_id where d.tenant_id = ${acme.id}`;
  expect(ours).toMatchObject({
    name: 'Website',
    value: 1250.5,
    owner_id: ana.id,
    email: 'davi@client.example',
    status: 'open',
  });
  expect((await eventsOf(sql, acme)).map(({ type, silent, origin }) => ({ type, silent, origin }))).toEqual([
    { type: 'lead.created', silent: true, origin: 'crm:pipedrive' },
    { type: 'deal.created', silent: true, origin: 'crm:pipedrive' },
  ]);
  expect(await openDifferences(sql, acme)).toMatchObject([]);

  await untilSettled(sql, acme);
  await pipedrive.patch(acme.vendorId, 'deals', deal?.id ?? 0, { stage_id: later?.id });
  await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
  expect(await openDifferences(sql, acme)).toMatchObject([
    { kind: 'unmapped_stage', field: 'stage_id', theirs: 'Proposta' },
  ]);

  await pipedrive.patch(acme.vendorId, 'deals', deal?.id ?? 0, { status: 'won' });
  await waitFor(async () => (await eventsOf(sql, acme)).some(({ type }) => type === 'deal.won'));
  await untilSettled(sql, acme);
  const won = (await eventsOf(sql, acme)).filter(({ type }) => type === 'deal.won');
  expect(won).toMatchObject([{ silent: false, origin: 'crm:pipedrive' }]);
});

test('a user whose address changes there stays the same collaborator', async () => {
  const acme = await connectPipedriveTenant(sql);
  await finishRun(sql, acme, 'import');
  await sql`select admin.map_crm_activity(${acme.accountId}, 'call', '001')`;
  const carla = await pipedrive.add(acme.vendorId, 'users', {
    name: 'Carla Melo',
    email: 'carla@acme.example',
  });
  const collaborators = () =>
    sql`select id, email, external_id from collaborators where tenant_id = ${acme.id} and name = 'Carla Melo'`;
  const call = async () => {
    await finishRun(sql, acme, 'reconcile');
    const done = { type: 'call', owner_id: carla.id, done: true, marked_as_done_time: await pipedrive.now() };
    const { id } = await pipedrive.add(acme.vendorId, 'activities', { subject: 'Ligar', ...done });
    return await waitFor(async () => {
      const [activity] =
        await sql`select collaborator_id from activities where tenant_id = ${acme.id} and external_id = ${`pipedrive:call:${id}`}`;
      return activity?.collaborator_id;
    });
  };
  const first = await call();
  await pipedrive.patch(acme.vendorId, 'users', carla.id, { email: 'carla.melo@acme.example' });
  expect(await call()).toBe(first);
  expect(await collaborators()).toEqual([
    { id: first, email: 'carla.melo@acme.example', external_id: `pipedrive:${carla.id}` },
  ]);
});

test('a seller who is new on both sides: what this person wins at once has its owner', async () => {
  const acme = await connectPipedriveTenant(sql);
  await finishRun(sql, acme, 'import');
  await untilSettled(sql, acme);
  const carla = { name: 'Carla Dias', email: 'carla@acme.example' };
  const { id: ours } = await addUser(sql, acme, carla);
  const { id: theirs } = await pipedrive.add(acme.vendorId, 'users', carla);
  await pipedrive.add(acme.vendorId, 'deals', {
    title: 'Website',
    value: 100,
    owner_id: Number(theirs),
    status: 'won',
  });
  const [deal] = await waitFor(async () => {
    const deals = await sql`select status, owner_id from deals where tenant_id = ${acme.id}`;
    return deals.length > 0 && deals;
  });
  expect(deal).toEqual({ status: 'won', owner_id: ours });

  // Users are read once for an owner who cannot be known.
  const { id: nobody } = await pipedrive.add(acme.vendorId, 'users', { name: 'Sem Email', email: '' });
  await pipedrive.add(acme.vendorId, 'deals', { title: 'Loja', value: 100, owner_id: Number(nobody) });
  await pipedrive.add(acme.vendorId, 'deals', { title: 'App', value: 100, owner_id: Number(nobody) });
  await waitFor(async () => (await sql`select from deals where tenant_id = ${acme.id}`).length === 3);
  const asked = await pipedrive.requests({ account: acme.vendorId, path: '/api/v1/users' });
  // When it was connected, imported, for Carla and for this one.
  expect(asked.length).toBeLessThanOrEqual(5);
  const [account] = await sql`select unknown_ids from crm_accounts where id = ${acme.accountId}`;
  expect(account?.unknown_ids).toEqual([`owner:${nobody}`]);
});

test('a stage that is new in the CRM: its deal is in the stage here with its name', async () => {
  const acme = await connectPipedriveTenant(sql);
  await finishRun(sql, acme, 'import');
  await untilSettled(sql, acme);
  await sql`insert into pipeline_stages (tenant_id, name, position, probability) values (${acme.id}, 'Piloto', 9, 50)`;
  const [{ id: pipeline } = { id: 0 }] = (await pipedrive.account(acme.vendorId, 'rows')).rows.pipelines;
  const stage = await pipedrive.add(acme.vendorId, 'stages', {
    name: 'piloto',
    pipeline_id: Number(pipeline),
  });
  await pipedrive.add(acme.vendorId, 'deals', { title: 'Website', value: 100, stage_id: Number(stage.id) });
  const deal = await waitFor(async () => {
    const [found] = await sql`
      select s.name from deals d join pipeline_stages s on s.id = d.stage_id where d.tenant_id = ${acme.id}`;
    return found;
  });
  expect(deal).toEqual({ name: 'Piloto' });
  const [order] = await sql`
    select bool_and(is_present) as present, count(*)::integer as count from crm_stages where account_id = ${acme.accountId}`;
  expect(order).toEqual({ present: true, count: 4 });
});
