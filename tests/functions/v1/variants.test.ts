// The three variants: the same scenario, run through each of them, stores the same data, and each shows it in its own terms.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { faultOf, followEvents } from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { type VariantId, variantWords } from '../../support/records/variant-words.ts';

const sql = connectDatabase();
const INVITATION = 'id user_id email role team_id status invited_at expires_at';
const DETAILS = {
  phone: '1',
  company: 'Acme',
  position: 'CTO',
  source: 'form',
  custom_fields: { a: 1 },
  tags: ['t'],
};

/** The stored data after the scenario, without ids and times. */
async function storedOf(tenantId: string): Promise<Record<string, unknown>> {
  const [row] = await sql`
    select
      (select jsonb_agg(to_jsonb(l) - '{id,tenant_id,owner_id,team_id,created_at,updated_at}'::text[]
                        || jsonb_build_object('owner', u.email) order by l.name)
       from leads l left join users u on u.id = l.owner_id where l.tenant_id = ${tenantId}) as leads,
      (select jsonb_agg(to_jsonb(d) - '{id,tenant_id,stage_id,owner_id,lead_id,closed_at,created_at,updated_at}'::text[]
                        || jsonb_build_object('owner', u.email, 'stage', s.name, 'lead', l.name) order by d.name)
       from deals d join pipeline_stages s on s.id = d.stage_id left join users u on u.id = d.owner_id
       left join leads l on l.id = d.lead_id where d.tenant_id = ${tenantId}) as deals,
      (select jsonb_agg(jsonb_build_array(u.name, u.email, u.role, u.status, t.name) order by u.name)
       from users u left join teams t on t.id = u.team_id where u.tenant_id = ${tenantId}) as users,
      (select jsonb_agg(jsonb_build_array(t.name, u.name) order by t.name)
       from teams t left join users u on u.id = t.leader_id where t.tenant_id = ${tenantId}) as teams,
      (select jsonb_agg(jsonb_build_array(a.type, a.description, d.name) order by a.created_at)
       from deal_activities a join deals d on d.id = a.deal_id where a.tenant_id = ${tenantId}) as activities`;
  return { ...row, events: await followEvents(sql, tenantId).types() };
}

/** Runs the scenario in a variant, set by the client or by the header. Returns the stored data. */
async function tell(id: VariantId, by: 'client' | 'header') {
  const words = variantWords[id];
  const { owner, leadStatus, members } = words;
  const tenant = await createRecordsTenant(sql, { variant: by === 'client' ? id : id === 'a' ? 'b' : 'a' });
  const headers: Record<string, string> = by === 'header' ? { 'X-Api-Variant': id } : {};
  const call = (method: string, path: string, body?: unknown) =>
    records(tenant.token, method, path, body, { headers });
  const namesOf = (data: object) => Object.keys(data).toSorted();
  /** The data of a response with exactly these members. */
  const shown = (reply: Reply, status: number, names: string) => {
    expect([reply.status, namesOf(reply.body), namesOf(reply.body.data)]).toEqual([
      status,
      ['data', 'meta'],
      names.split(' ').toSorted(),
    ]);
    return reply.body.data;
  };
  /** The first row of a list with exactly these members. */
  const listed = ({ status, body }: Reply, names: string) => {
    expect(status).toBe(200);
    expect(namesOf(body)).toEqual(['data', id === 'a' ? 'meta' : 'pagination']);
    const numbers = { page: 1, per_page: words.perPage, total: expect.any(Number), total_pages: 1 };
    if (id === 'a')
      expect(body.meta).toEqual({
        request_id: expect.any(String),
        timestamp: expect.any(String),
        ...numbers,
      });
    else expect(body.pagination).toEqual(numbers);
    expect(namesOf(body.data[0])).toEqual(names.split(' ').toSorted());
    return body.data[0];
  };

  const stages = await call('GET', words.stages);
  expect(namesOf(stages.body)).toEqual(id === 'a' ? ['data', 'meta'] : ['data']);
  expect(namesOf(stages.body.data[0])).toEqual(members.stage.split(' ').toSorted());
  const [, second, third] = stages.body.data;

  const invited = await call('POST', '/users', { name: 'Rui', email: 'rui@x.co', role: words.seller });
  const user = shown(invited, 201, members.user);
  expect(user).toMatchObject({ role: words.seller, status: words.invited });
  expect(
    listed(await call('GET', `/users?status=${words.invited}&role=${words.seller}`), members.user),
  ).toEqual(user);
  expect(listed(await call('GET', '/invitations'), INVITATION)).toMatchObject({
    role: words.seller,
    user_id: user.id,
  });
  const team = shown(
    await call('POST', '/teams', { name: 'Sales', [words.leader]: user.id }),
    201,
    members.team,
  );
  const member = shown(
    await call('POST', `/teams/${team.id}/members`, { user_id: user.id }),
    201,
    members.user,
  );
  expect(member).toMatchObject(
    id === 'b' ? { team_id: team.id, team_name: 'Sales' } : { team: { id: team.id, name: 'Sales' } },
  );
  const inList = listed(await call('GET', '/teams'), members.team);
  expect(inList).toMatchObject({
    [words.leader]: user.id,
    [words.count]: 1,
    ...(id === 'b' && { manager_name: 'Rui' }),
  });
  shown(await call('GET', `/teams/${team.id}`), 200, `${members.team} members`);

  const sent = { name: 'Ana', email: 'ana@x.co', [owner]: user.id, ...DETAILS };
  const lead = shown(await call('POST', '/leads', sent), 201, members.lead);
  expect(lead).toMatchObject({ ...sent, [leadStatus]: 'new' });
  const patched = await call('PATCH', `/leads/${lead.id}`, { [leadStatus]: words.unqualified });
  expect(shown(patched, 200, members.lead)[leadStatus]).toBe(words.unqualified);
  const filtered = await call(
    'GET',
    `/leads?${leadStatus}=${words.unqualified}&${owner}=${user.id}&sort=-${leadStatus}`,
  );
  expect(listed(filtered, members.lead).id).toBe(lead.id);
  shown(await call('GET', `/leads/${lead.id}`), 200, `${members.lead} activities`);
  const forbidden = await call('PATCH', `/leads/${lead.id}`, { [leadStatus]: 'converted' });
  expect(faultOf(forbidden)).toEqual({ status: 422, code: 'UNPROCESSABLE_ENTITY', fields: [leadStatus] });
  const again = await call('POST', '/leads', { ...sent, email: 'ANA@x.co' });
  expect([again.status, again.body.error.existing_id]).toEqual([409, lead.id]);

  const converted = await call('POST', `/leads/${lead.id}/convert`, words.convert(second));
  const whole = shown(converted, words.convertStatus, id === 'b' ? members.deal : 'lead deal');
  const first = id === 'b' ? whole : whole.deal;
  expect(namesOf(first)).toEqual(members.deal.split(' ').toSorted());
  expect(first).toMatchObject({ lead_id: lead.id, name: 'Big', [owner]: user.id });
  expect(first.stage).toEqual(
    id === 'a' ? { id: second.id, name: second.name, probability: 25 } : second.name,
  );

  const offer = { name: 'Other', value: 3, [owner]: user.id, priority: 'high', ...words.deal(second) };
  const deal = shown(await call('POST', words.deals, offer), 201, members.deal);
  if (id !== 'a')
    expect(deal).toMatchObject({
      stage_id: second.id,
      probability: 25,
      contact: { name: 'Zoë', email: 'z@x.co', company: 'Acme' },
    });
  const path = `${words.deals}/${deal.id}`;
  shown(await call('POST', `${path}/move`, words.move(third)), 200, members.deal);
  const activity = await call('POST', `${path}/activities`, { type: 'call', description: 'Rang' });
  expect(shown(activity, 201, members.activity)[id === 'c' ? 'opportunity_id' : 'deal_id']).toBe(deal.id);
  expect(shown(await call('POST', `${path}/close`, words.close), 200, members.deal)).toMatchObject({
    status: 'won',
    value: 9,
  });
  expect((await call('POST', `${path}/close`, words.close)).status).toBe(409);
  shown(await call('POST', `${words.deals}/${first.id}/close`, words.lose), 200, members.deal);
  const won = await call('GET', `${words.deals}?status=won&stage_id=${third.id}&${owner}=${user.id}`);
  expect(listed(won, members.deal).id).toBe(deal.id);
  return await storedOf(tenant.id);
}

describe('one story', () => {
  test.each(['client', 'header'] as const)('is stored identically in every variant of the %s', async (by) => {
    const [a, b, c] = [await tell('a', by), await tell('b', by), await tell('c', by)];
    expect(a.leads).toMatchObject([{ name: 'Ana', status: 'converted', owner: 'rui@x.co' }]);
    expect(a.deals).toMatchObject([
      { name: 'Big', status: 'lost', loss_reason: 'Too expensive', lead: 'Ana' },
      {
        name: 'Other',
        status: 'won',
        value: 9,
        stage: 'Proposal',
        contact_email: 'z@x.co',
        priority: 'high',
      },
    ]);
    expect(a.activities).toEqual([
      ['note', 'Moved', 'Other'],
      ['call', 'Rang', 'Other'],
      ['note', 'Signed', 'Other'],
    ]);
    expect(b).toEqual(a);
    expect(c).toEqual(a);
  });
});
