// Texts that look the same are the same: composed and decomposed Unicode, and the two forms of internationalized domains.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import {
  activity,
  collaborator,
  syncActivities,
  syncCollaborators,
} from '../../support/gamification/sync.ts';
import { createLead, createTeam, expectData, newEmail } from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const COMPOSED = 'Operação'.normalize('NFC');
const DECOMPOSED = COMPOSED.normalize('NFD');

test('names, tags and other texts are stored composed; ids and free-form values as sent', async () => {
  const { token } = await createRecordsTenant(sql);
  expect(await createTeam(token, { name: DECOMPOSED })).toMatchObject({ name: COMPOSED });
  const lead = await createLead(token, {
    name: DECOMPOSED,
    source: DECOMPOSED,
    tags: [DECOMPOSED],
    external_id: DECOMPOSED,
    custom_fields: { area: DECOMPOSED },
  });
  expect(lead).toMatchObject({
    name: COMPOSED,
    source: COMPOSED,
    tags: [COMPOSED],
    external_id: DECOMPOSED,
    custom_fields: { area: DECOMPOSED },
  });
  for (const query of [{ source: DECOMPOSED }, { search: DECOMPOSED }, { external_id: DECOMPOSED }])
    expect(await expectData(token, 'GET', `/leads?${new URLSearchParams(query)}`, 200)).toHaveLength(1);
  await expectData(token, 'POST', '/admin/stages', 201, { name: DECOMPOSED, position: 9, probability: 50 });
  const opportunity = { name: 'Deal', value: 1, stage: DECOMPOSED };
  const variant = { headers: { 'X-Api-Variant': 'b' } };
  expect(await expectData(token, 'POST', '/opportunities', 201, opportunity, variant)).toMatchObject({
    stage: COMPOSED,
  });
});

test('automations find texts of any form in free-form values, and set composed tags', async () => {
  const { token } = await createRecordsTenant(sql);
  await expectData(token, 'POST', '/admin/automations', 201, {
    name: 'Area',
    event: 'lead.created',
    conditions: [{ field: 'custom_fields.area', op: 'eq', value: COMPOSED }],
    actions: [{ type: 'add_tag', tag: DECOMPOSED }],
  });
  const { id } = await createLead(token, { custom_fields: { area: DECOMPOSED }, tags: [COMPOSED, 'x'] });
  const other = await createLead(token, { custom_fields: { area: DECOMPOSED } });
  const tagsOf = async (lead: string) => (await expectData(token, 'GET', `/leads/${lead}`, 200)).tags;
  await waitFor(async () => (await tagsOf(other.id)).length > 0);
  expect([await tagsOf(id), await tagsOf(other.id)]).toEqual([[COMPOSED, 'x'], [COMPOSED]]);
});

test('what is written by SQL is composed', async () => {
  const { id } = await createTenant(sql);
  const names = () => sql`
    select t.name, (select array_agg(tag) from leads l, unnest(l.tags) as tag where l.tenant_id = t.tenant_id) as tags
    from teams t where t.tenant_id = ${id}`;
  await sql`insert into teams (tenant_id, name) values (${id}, ${DECOMPOSED})`;
  await sql`insert into leads (tenant_id, name, email, tags) values (${id}, 'Ana', 'ana@x.co', ${[DECOMPOSED]})`;
  expect(await names()).toEqual([{ name: COMPOSED, tags: [COMPOSED] }]);
});

test('internationalized domains are stored in the form of DNS', async () => {
  const { token } = await createRecordsTenant(sql);
  const ascii = newEmail().replace('example.com', 'xn--ao-fka.example.com');
  const written = ascii.replace('xn--ao-fka', 'ãço'.normalize('NFD'));
  expect(written).not.toBe(ascii);
  const domain = new URL(`http://${written.split('@')[1]}`).hostname;
  const lead = await createLead(token, { email: written.toUpperCase() });
  expect(lead.email).toBe(`${ascii.split('@')[0]}@${domain}`);
  expect((await records(token, 'POST', '/leads', { name: 'Ana', email: lead.email })).status).toBe(409);
  for (const email of ['ana@ex ample.com', 'ana@são', 'ã@example.com', 'ana@são..com', 'ana@\u0301.com'])
    expect((await records(token, 'POST', '/leads', { name: 'Ana', email })).status).toBe(400);
  const webhook = { url: 'https://çx.example.invalid:8443/Ç?x=1', events: ['lead.created'] };
  const { url } = await expectData(token, 'POST', '/webhooks', 201, webhook);
  expect(url).toBe(`https://${new URL('http://çx.example.invalid').hostname}:8443/Ç?x=1`);
});

test('activity sync', async () => {
  const { id, apiKey } = await createTenant(sql);
  await syncCollaborators(apiKey, [
    collaborator('ana', { email: 'ana@ação.example', team: DECOMPOSED, metadata: { area: DECOMPOSED } }),
  ]);
  const reply = await syncActivities(apiKey, [activity(DECOMPOSED, 'ana@ação.example'.normalize('NFD'))]);
  expect(reply.body.data).toMatchObject({ processed: 1, skipped: 0 });
  const [row] = await sql`
    select c.email, c.team, c.metadata, a.external_id from collaborators c
    join activities a on a.collaborator_id = c.id where c.tenant_id = ${id}`;
  expect(row).toEqual({
    email: `ana@${new URL('http://ação.example').hostname}`,
    team: COMPOSED,
    metadata: { area: DECOMPOSED },
    external_id: DECOMPOSED,
  });
});
