// Users: inviting, changing, deactivating, removing, and the effects in Auth.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  authUserOf,
  createDeal,
  createLead,
  createTeam,
  createUser,
  expectData,
  faultOf,
  followEvents,
  followLink,
  mailsTo,
  NOBODY,
  newEmail,
  statusesOf,
  userWith,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { sweepNow } from '../../support/sweep.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const get = (token: string, id: string) => expectData(token, 'GET', `/users/${id}`, 200);
const patch = (token: string, id: string, body: object) =>
  expectData(token, 'PATCH', `/users/${id}`, 200, body);
const newUser = (more: object = {}) => ({ name: 'Rui', email: newEmail(), role: 'sales_rep', ...more });

describe('creating', () => {
  test('invites the user', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const team = await createTeam(token);
    const events = followEvents(sql, tenantId);
    const sent = { name: 'Rui Dias', email: newEmail(), role: 'manager', phone: '+55 11' };
    const user = await createUser(token, { ...sent, team_id: team.id, status: 'active', total_points: 5 });
    expect(user).toEqual({
      ...sent,
      id: expect.any(String),
      avatar_url: null,
      team: { id: team.id, name: team.name },
      status: 'invited',
      ranking_tier: null,
      total_points: 0,
      external_id: null,
      created_at: expect.any(String),
      updated_at: user.created_at,
      last_active_at: null,
    });
    expect(await get(token, user.id)).toEqual(user);
    expect((await events.all()).map(({ type, data }) => [type, data.id])).toEqual([
      ['user.created', user.id],
    ]);
    const [invitation] = await expectData(token, 'GET', '/invitations?status=pending', 200);
    expect(invitation).toMatchObject({
      user_id: user.id,
      email: sent.email,
      role: 'manager',
      team_id: team.id,
    });
  });

  test.each([
    [{}, ['name', 'email', 'role']],
    [{ name: '', email: 'x', role: 'seller' }, ['name', 'email', 'role']],
    [{ ...newUser(), role: 'viewer' }, ['role']],
    [{ ...newUser(), team_id: 'x', phone: 5 }, ['team_id', 'phone']],
  ])('rejects %j', async (body, fields) => {
    const { token } = await createRecordsTenant(sql);
    const fault = faultOf(await records(token, 'POST', '/users', body));
    expect({ ...fault, fields: fault.fields.toSorted() }).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      fields: fields.toSorted(),
    });
  });

  test('rejects a team that does not exist', async () => {
    const { token } = await createRecordsTenant(sql);
    const reply = await records(token, 'POST', '/users', newUser({ team_id: NOBODY }));
    expect(faultOf(reply)).toEqual({ status: 422, code: 'UNPROCESSABLE_ENTITY', fields: ['team_id'] });
  });

  test('of ten concurrent requests with one email, one succeeds', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const email = newEmail();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        records(token, 'POST', '/users', newUser({ email: index % 2 ? email : email.toUpperCase() })),
      ),
    );
    expect(statusesOf(replies)).toEqual([201, ...Array(9).fill(409)]);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused && faultOf(refused)).toEqual({ status: 409, code: 'CONFLICT', fields: ['email'] });
    expect(await followEvents(sql, tenantId).types()).toEqual(['user.created']);
    await createUser((await createRecordsTenant(sql)).token, { email });
  });
});

describe('the plan’s limit', () => {
  test('admits exactly ten of thirty concurrent invitations', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql, { plan: 'starter' });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        records(token, 'POST', index % 2 ? '/users' : '/invitations', newUser()),
      ),
    );
    expect(statusesOf(replies)).toEqual([...Array(10).fill(201), ...Array(20).fill(422)]);
    const refused = replies.find(({ status }) => status === 422);
    expect(refused?.body.error.code).toBe('USER_LIMIT_REACHED');
    const [count] = await sql`select count(*)::integer from users where tenant_id = ${tenantId}`;
    expect(count?.count).toBe(10);
  });

  test('counts invited and active users, not deactivated ones', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql, { plan: 'starter' });
    await sql`
      insert into users (tenant_id, name, email, status)
      select ${tenantId}, 'U', 'u' || n || '@x.co', case when n <= 8 then 'active' else 'deactivated' end
      from generate_series(1, 20) as n`;
    const ninth = await createUser(token);
    const tenth = await expectData(token, 'POST', '/invitations', 201, newUser());
    const refused = async () => faultOf(await records(token, 'POST', '/users', newUser())).code;
    expect(await refused()).toBe('USER_LIMIT_REACHED');
    await expectData(token, 'DELETE', `/users/${ninth.id}`, 204);
    await createUser(token);
    expect(await refused()).toBe('USER_LIMIT_REACHED');
    await expectData(token, 'DELETE', `/invitations/${tenth.id}`, 204);
    await createUser(token);
    expect(await refused()).toBe('USER_LIMIT_REACHED');
    await sql`update tenants set plan = 'professional' where id = ${tenantId}`;
    await createUser(token);
  });
});

test('changing keeps absent members and clears null ones', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const team = await createTeam(token);
  const user = await createUser(token, { phone: '1', team_id: team.id });
  const events = followEvents(sql, tenantId);
  await events.all();
  expect(await patch(token, user.id, { email: 'other@x.co', status: 'nonsense', total_points: 9 })).toEqual(
    user,
  );
  expect(await events.types()).toEqual([]);
  const changed = await patch(token, user.id, { role: 'admin', name: 'Rui II' });
  expect(changed).toEqual({ ...user, role: 'admin', name: 'Rui II', updated_at: expect.any(String) });
  expect(changed.updated_at > user.updated_at).toBe(true);
  expect(await patch(token, user.id, { phone: null, team_id: null })).toMatchObject({
    phone: null,
    team: null,
  });
  expect(await events.types()).toEqual(['user.updated', 'user.updated']);
  const faults = await records(token, 'PATCH', `/users/${user.id}`, { name: null, role: null, team_id: 'x' });
  expect(faultOf(faults)).toMatchObject({ status: 400, fields: ['name', 'role', 'team_id'] });
  const team422 = await records(token, 'PATCH', `/users/${user.id}`, { team_id: NOBODY });
  expect(faultOf(team422)).toMatchObject({ status: 422, fields: ['team_id'] });
  await Promise.all([patch(token, user.id, { phone: '2' }), patch(token, user.id, { name: 'Both' })]);
  expect(await get(token, user.id)).toMatchObject({ phone: '2', name: 'Both' });
});

test('the current user is the one that the client acts for', async () => {
  const { id: tenantId, token, clientId } = await createRecordsTenant(sql);
  expect(faultOf(await records(token, 'GET', '/users/me'))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  const user = await createUser(token);
  await sql`update oauth_clients set user_id = ${user.id} where tenant_id = ${tenantId} and client_id = ${clientId}`;
  expect(await expectData(token, 'GET', '/users/me', 200)).toEqual(user);
});

describe('deactivating and removing', () => {
  test('deactivates, keeps the data, and emits once', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const user = await createUser(token);
    const deal = await createDeal(token, { owner_id: user.id });
    const events = followEvents(sql, tenantId);
    await events.all();
    await expectData(token, 'DELETE', `/users/${user.id}`, 204);
    await expectData(token, 'DELETE', `/users/${user.id}?permanent=false`, 204);
    expect(await get(token, user.id)).toMatchObject({ status: 'deactivated', email: user.email });
    expect(await expectData(token, 'GET', `/deals/${deal.id}`, 200)).toEqual(deal);
    expect(await events.types()).toEqual(['user.deactivated']);
    const again = await records(token, 'POST', '/users', newUser({ email: user.email }));
    expect(faultOf(again)).toMatchObject({ status: 409 });
    const bad = await records(token, 'DELETE', `/users/${user.id}?permanent=yes`);
    expect(faultOf(bad)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['permanent'] });
  });

  test('deletes permanently, and leaves their records without an owner', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const user = await createUser(token);
    const [deal, lead] = [
      await createDeal(token, { owner_id: user.id }),
      await createLead(token, { owner_id: user.id }),
    ];
    const team = await createTeam(token, { leader_id: user.id });
    const events = followEvents(sql, tenantId);
    await events.all();
    await expectData(token, 'DELETE', `/users/${user.id}?permanent=true`, 204);
    for (const method of ['GET', 'DELETE']) {
      expect((await records(token, method, `/users/${user.id}`)).status).toBe(404);
    }
    expect((await expectData(token, 'GET', `/deals/${deal.id}`, 200)).owner_id).toBeNull();
    expect((await expectData(token, 'GET', `/leads/${lead.id}`, 200)).owner_id).toBeNull();
    expect((await expectData(token, 'GET', `/teams/${team.id}`, 200)).leader_id).toBeNull();
    expect(await expectData(token, 'GET', '/invitations', 200)).toEqual([]);
    const happened = (await events.all()).map(({ type, data }) => `${type} ${data.id}`);
    expect(happened.sort()).toEqual([
      `deal.updated ${deal.id}`,
      `lead.updated ${lead.id}`,
      `user.deactivated ${user.id}`,
    ]);
    await createUser(token, { email: user.email });
  });

  test('bans in Auth, and deletes there, unless another tenant has the user', async () => {
    const [here, there] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    const email = newEmail();
    const one = await createUser(here.token, { email });
    const [first] = await mailsTo(email);
    const two = await createUser(there.token, { email });
    const [second] = await mailsTo(email, 2);
    for (const mail of [first, second]) await followLink(mail);
    await Promise.all([userWith(here.token, one.id, 'active'), userWith(there.token, two.id, 'active')]);
    const authUser = () => authUserOf(sql, email);
    expect(await authUser()).toMatchObject({ confirmed: true, banned: false });

    await expectData(here.token, 'DELETE', `/users/${one.id}`, 204);
    await expectData(there.token, 'DELETE', `/users/${two.id}`, 204);
    await waitFor(async () => (await authUser())?.banned);
    // Active again in one of them.
    await sql`update users set status = 'active' where id = ${one.id}`;
    await sweepNow();
    await waitFor(async () => !(await authUser())?.banned);
    await expectData(there.token, 'DELETE', `/users/${two.id}?permanent=true`, 204);
    await waitFor(async () => {
      const [job] = await sql`
        select from jobs where name = 'sync-auth-user' and payload ->> 'email' = ${email} and finished_at is null`;
      return !job;
    });
    expect(await authUser()).toMatchObject({ confirmed: true, banned: false });
    await expectData(here.token, 'DELETE', `/users/${one.id}?permanent=true`, 204);
    await waitFor(async () => !(await authUser()));
  });
});

test('a user of another tenant does not exist', async () => {
  const { token } = await createRecordsTenant(sql);
  const other = await createRecordsTenant(sql);
  const user = await createUser(other.token);
  for (const id of [user.id, NOBODY, 'x']) {
    for (const [method, body] of [['GET'], ['PATCH', { name: 'B' }], ['DELETE']] as const) {
      const reply = await records(token, method, `/users/${id}`, body);
      expect(faultOf(reply)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
    expect((await records(token, 'DELETE', `/users/${id}?permanent=true`)).status).toBe(404);
  }
  expect(await get(other.token, user.id)).toEqual(user);
});
