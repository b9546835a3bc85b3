// CRMs through the admin API: connecting, mappings, previews, imports, differences, and what the audit trail keeps of them.
import { beforeAll, expect, test } from 'vitest';
import { atPipedrive, untilSettled } from '../../../support/connectors.ts';
import { connectDatabase } from '../../../support/database.ts';
import { connectByApi, createCrmTenant, person, runToEnd } from '../../../support/records/crm-admin.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectDatabase();
let pipedrive: ReturnType<typeof atPipedrive>;
beforeAll(() => {
  pipedrive = atPipedrive();
});

const changesOf = ({ id }: { id: string }) =>
  sql`select act, summary, before, after from admin_changes where tenant_id = ${id} and via = 'api' order by id`;

test('connects, changes settings, pauses, resumes, disconnects and forgets, with a row of each in the trail', async () => {
  const acme = await createCrmTenant(sql);
  const { call, credentials } = acme;
  const made = await call('PUT', '/crm-accounts/pipedrive', { credentials, settings: { direction: 'both' } });
  expect([made.status, made.body.data.crm, made.body.data.settings]).toEqual([
    201,
    'pipedrive',
    { direction: 'both' },
  ]);
  const path = `/crm-accounts/${made.body.data.id}`;
  await waitFor(async () => (await call('GET', path)).body.data.status === 'active');
  expect((await call('GET', '/crm-accounts')).body.data.map(({ id }: { id: string }) => id)).toEqual([
    made.body.data.id,
  ]);
  const again = await call('PUT', '/crm-accounts/pipedrive', { credentials });
  expect([again.status, again.body.data.id, again.body.data.settings]).toEqual([
    200,
    made.body.data.id,
    { direction: 'both' },
  ]);
  const changed = await call('PATCH', path, { settings: { on_delete: 'delete' } });
  expect(changed.body.data.settings).toEqual({ direction: 'both', on_delete: 'delete' });
  const unchanged = await call('PATCH', path, { settings: { on_delete: 'delete' } });
  expect(unchanged.body.meta.summary).toBe('Nothing changed.');
  expect((await call('DELETE', path)).body.error.state).not.toBe('disconnected');
  expect((await call('POST', `${path}/pause`)).body.data.status).toBe('paused');
  expect((await call('POST', `${path}/pause`)).status).toBe(200);
  const stopped = await call('POST', `${path}/runs`, { kind: 'preview' });
  expect([stopped.status, stopped.body.error.state]).toEqual([409, 'paused']);
  expect((await call('POST', `${path}/resume`)).body.data.status).toBe('connecting');
  expect((await call('POST', `${path}/disconnect`)).status).toBe(202);
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
  const changes = await changesOf(acme);
  expect(changes.map(({ summary }) => summary)).toEqual([
    'Connected CRM account "pipedrive".',
    'Changed credentials of CRM account "pipedrive".',
    'Set on delete of CRM account "pipedrive" to delete.',
    'Paused CRM account "pipedrive".',
    'Resumed CRM account "pipedrive".',
    'Disconnected CRM account "pipedrive".',
    'Deleted CRM account "pipedrive".',
  ]);
  expect(JSON.stringify(changes)).not.toContain(credentials.api_token);
});

test('names a wrong member of credentials and settings, and never its value', async () => {
  const { id, call, credentials } = await createCrmTenant(sql);
  const put = async (crm: string, body: object) => {
    const reply = await call('PUT', `/crm-accounts/${crm}`, body);
    return [reply.status, reply.body.error.details?.[0]?.field, JSON.stringify(reply.body)];
  };
  const wrong = 'x'.repeat(39);
  const [status, field, text] = await put('pipedrive', { credentials: { ...credentials, api_token: wrong } });
  expect([status, field]).toEqual([400, 'credentials.api_token']);
  expect(text).not.toContain(wrong);
  expect((await put('pipedrive', { credentials: { domain: 'acme' } })).slice(0, 2)).toEqual([
    400,
    'credentials.api_token',
  ]);
  expect((await put('pipedrive', {})).slice(0, 2)).toEqual([400, 'credentials']);
  expect((await put('other', { credentials }))[0]).toBe(404);
  const settings = { direction: 'out' };
  expect((await put('pipedrive', { credentials, settings })).slice(0, 2)).toEqual([
    400,
    'settings.direction',
  ]);
  expect(
    (await put('pipedrive', { credentials, settings: { fields: { lead: { email: 'x' } } } })).slice(0, 2),
  ).toEqual([400, 'settings.fields.lead.email']);
  expect(await sql`select from crm_accounts where tenant_id = ${id}`).toHaveLength(0);
});

test('maps stages by name and activity types to codes, as a whole', async () => {
  const acme = await createCrmTenant(sql);
  const { call } = acme;
  const path = await connectByApi(acme);
  await sql`insert into pipeline_stages (tenant_id, name, position, probability) values (${acme.id}, 'Prova', 9, 50)`;
  const before = await call('GET', `${path}/stages`);
  // Not by their ids.
  await sql`update crm_stages set place = 100 - place where account_id = ${path.slice('/crm-accounts/'.length)}`;
  const reversed = (await call('GET', `${path}/stages`)).body.data.stages;
  expect(reversed).toEqual([...before.body.data.stages].reverse());
  const named = (name: string) =>
    before.body.data.stages.find((stage: { name: string }) => stage.name === name).crm_id;
  const proposta = named('Proposta');
  const put = await call(
    'PUT',
    `${path}/stages`,
    { stages: [{ crm_id: proposta, stage: ' PROVA ' }] },
    { 'If-Match': (await call('GET', `${path}/stages`)).headers.get('etag') ?? '' },
  );
  const mapped = put.body.data.stages.find((stage: { crm_id: string }) => stage.crm_id === proposta);
  expect([mapped.mapped_to.name, mapped.stage.name]).toEqual(['Prova', 'Prova']);
  expect(put.body.meta.summary).toBe('Mapped CRM stage "Proposta" to stage "Prova".');
  expect(
    (await call('PUT', `${path}/stages`, { stages: [{ crm_id: proposta, stage: 'Nowhere' }] })).body.error
      .details,
  ).toMatchObject([{ field: 'stages.0.stage' }]);
  const unknown = await call('PUT', `${path}/stages`, { stages: [{ crm_id: 'x', stage: null }] });
  expect([unknown.status, unknown.body.error.details[0].field]).toEqual([422, 'stages.0.crm_id']);
  expect((await call('PUT', `${path}/stages`, { stages: [] })).body.meta.summary).toBe(
    'Unmapped CRM stage "Proposta".',
  );

  const types = { activity_types: [{ crm_type: 'call', code: '001' }] };
  const set = await call('PUT', `${path}/activity-types`, types);
  expect(set.body.data.activity_types).toContainEqual({ crm_type: 'call', code: '001', mission: null });
  expect(set.body.meta.summary).toBe('Mapped CRM activity type "call" to activity code 001.');
  const zero = { activity_types: [{ crm_type: 'call', code: '000' }] };
  expect((await call('PUT', `${path}/activity-types`, zero)).status).toBe(400);
  const cleared = await call('PUT', `${path}/activity-types`, { activity_types: [] });
  expect(cleared.body.data.activity_types).toContainEqual({ crm_type: 'call', code: null, mission: null });
});

test('a preview is listed by kind and action, an import runs, and both can be canceled', async () => {
  const acme = await createCrmTenant(sql);
  const { call } = acme;
  const path = await connectByApi(acme);
  await pipedrive.addMany(acme.vendorId, 'persons', [
    person('Davi Lima', 'davi@client.example'),
    person('Sem Email', null),
  ]);
  const preview = await runToEnd(call, path, 'preview');
  const rows = (await call('GET', `${preview}/preview`)).body;
  expect(rows.meta.total).toBe(2);
  const skipped = (await call('GET', `${preview}/preview?action=skip&kind=lead`)).body.data;
  expect(skipped).toMatchObject([{ name: 'Sem Email', action: 'skip', placar_id: null }]);
  expect((await call('GET', `${preview}/preview?search=davi`)).body.data).toMatchObject([
    { action: 'create', fields: { name: [null, 'Davi Lima'] } },
  ]);
  await runToEnd(call, path, 'import');
  expect(await sql`select name from leads where tenant_id = ${acme.id}`).toMatchObject([
    { name: 'Davi Lima' },
  ]);
  expect((await call('GET', `${path}/runs?kind=import`)).body.data).toMatchObject([
    { kind: 'import', status: 'done', created: 1, skipped: 1 },
  ]);
  expect((await call('POST', `${preview}/cancel`)).body.data.status).toBe('done');
  expect((await changesOf(acme)).map(({ summary }) => summary)).toEqual([
    'Connected CRM account "pipedrive".',
    'Started preview of pipedrive.',
    'Started import of pipedrive.',
  ]);
});

test('a difference is resolved by taking a side', async () => {
  const acme = await createCrmTenant(sql);
  const { call } = acme;
  const path = await connectByApi(acme);
  const [davi] = await pipedrive.addMany(acme.vendorId, 'persons', [
    person('Davi Lima', 'davi@client.example'),
  ]);
  await runToEnd(call, path, 'import');
  await sql`update leads set name = 'Davi L.' where tenant_id = ${acme.id}`;
  const open = () => call('GET', `${path}/differences?resolved=false&kind=changed_here&record=lead`);
  const [difference] = await waitFor(async () => {
    const { data } = (await open()).body;
    return data.length > 0 && data;
  });
  expect(difference).toMatchObject({ field: 'name', ours: 'Davi L.', theirs: 'Davi Lima', resolvable: true });
  const { total } = (await call('GET', `${path}/differences?resolved=false`)).body.meta;
  expect((await call('GET', path)).body.data.open_differences).toBe(total);
  const resolve = `${path}/differences/${difference.id}/resolve`;
  expect((await call('POST', resolve, { take: 'both' })).status).toBe(400);
  const resolved = await call('POST', resolve, { take: 'theirs' });
  expect([resolved.status, resolved.body.data.resolvable]).toEqual([200, false]);
  await waitFor(
    async () => (await sql`select from leads where tenant_id = ${acme.id} and name = 'Davi Lima'`)[0],
  );
  expect((await changesOf(acme)).at(-1)?.summary).toBe('Resolved CRM difference "changed_here" with theirs.');
  await untilSettled(sql, { ...acme, accountId: path.split('/')[2] ?? '' });
  expect(davi).toBeDefined();
});

test('another tenant sees and changes nothing of an account', async () => {
  const acme = await createCrmTenant(sql);
  const path = await connectByApi(acme);
  await pipedrive.addMany(acme.vendorId, 'persons', [person('Sem Email', null)]);
  const preview = await runToEnd(acme.call, path, 'preview');
  await runToEnd(acme.call, path, 'import');
  const [difference] = (await acme.call('GET', `${path}/differences`)).body.data;
  const other = await createCrmTenant(sql);
  const own = await connectByApi(other);
  const requests: [string, string, object?][] = [
    ['GET', path],
    ['PATCH', path, { settings: { direction: 'both' } }],
    ['DELETE', path],
    ...['pause', 'resume', 'disconnect', 'authorize'].map((act): [string, string] => [
      'POST',
      `${path}/${act}`,
    ]),
    ['GET', `${path}/webhook-setup`],
    ['GET', `${path}/stages`],
    ['PUT', `${path}/stages`, { stages: [] }],
    ['GET', `${path}/activity-types`],
    ['PUT', `${path}/activity-types`, { activity_types: [] }],
    ['GET', `${path}/runs`],
    ['POST', `${path}/runs`, { kind: 'import' }],
    ['GET', preview],
    ['POST', `${preview}/cancel`],
    ['GET', `${preview}/preview`],
    ['GET', `${path}/differences`],
    ['GET', `${path}/differences/${difference.id}`],
    ['POST', `${path}/differences/${difference.id}/resolve`, { take: 'ours' }],
    // Below the caller's own account.
    ['GET', preview.replace(path, own)],
    ['POST', `${preview.replace(path, own)}/cancel`],
    ['POST', `${own}/differences/${difference.id}/resolve`, { take: 'ours' }],
  ];
  for (const [method, target, body] of requests)
    expect([method, target, (await other.call(method, target, body)).status]).toEqual([method, target, 404]);
  expect((await other.call('GET', `${preview.replace(path, own)}/preview`)).body.data).toEqual([]);
});

test('a caller that could not change leads and deals itself cannot let a CRM do it', async () => {
  const acme = await createCrmTenant(sql, ['manage:workspace', 'read:leads', 'write:leads', 'read:deals']);
  const reply = await acme.call('PUT', '/crm-accounts/pipedrive', { credentials: acme.credentials });
  expect([reply.status, reply.body.error.details]).toEqual([
    403,
    [{ field: 'scopes', message: 'this token lacks the scope write:deals' }],
  ]);
  const [{ id } = {}] = await sql`
    insert into crm_accounts (tenant_id, crm, status) values (${acme.id}, 'pipedrive', 'active') returning id`;
  for (const path of [
    `/crm-accounts/${id}/runs`,
    `/crm-accounts/${id}/authorize`,
    `/crm-accounts/${id}/resume`,
  ])
    expect((await acme.call('POST', path, { kind: 'import' })).status).toBe(403);
  expect((await acme.call('POST', `/crm-accounts/${id}/pause`)).status).toBe(200);
  const blind = await createCrmTenant(sql, ['manage:workspace']);
  const [{ id: other } = {}] = await sql`
    insert into crm_accounts (tenant_id, crm, status) values (${blind.id}, 'pipedrive', 'active') returning id`;
  expect((await blind.call('GET', `/crm-accounts/${other}/differences`)).status).toBe(403);
});

test('a link authorizes only RD Station CRM, and only HubSpot has webhooks to set up', async () => {
  const { call, ...acme } = await createCrmTenant(sql);
  const path = await connectByApi({ ...acme, call });
  expect((await call('POST', `${path}/authorize`)).status).toBe(409);
  expect((await call('GET', `${path}/webhook-setup`)).status).toBe(409);
  const { data } = (
    await call('PUT', '/crm-accounts/rd_station', {
      credentials: { client_id: 'client-0001', client_secret: 'secret-0001' },
    })
  ).body;
  expect(data.status).toBe('authorizing');
  const link = await call('POST', `/crm-accounts/${data.id}/authorize`, undefined, {
    'Idempotency-Key': 'link',
  });
  expect([link.status, link.body.data.url]).toEqual([
    201,
    expect.stringContaining(`/${data.id}/authorize?state=`),
  ]);
  const replayed = await call('POST', `/crm-accounts/${data.id}/authorize`, undefined, {
    'Idempotency-Key': 'link',
  });
  expect(replayed.body.data.url).toBeUndefined();
});
