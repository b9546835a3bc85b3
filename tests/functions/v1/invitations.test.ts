// Invitations: mails, accepting, revoking and resending, also when several tenants invite one person.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import {
  authUserOf,
  createTeam,
  createUser,
  expectData,
  faultOf,
  followEvents,
  followLink,
  forgetMails,
  mailsTo,
  NOBODY,
  newEmail,
  userWith,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const invite = (token: string, email: string, more: object = {}) =>
  expectData(token, 'POST', '/invitations', 201, { name: 'Rui', email, role: 'sales_rep', ...more });
const invitationsOf = (token: string, query = '') => expectData(token, 'GET', `/invitations${query}`, 200);
const statusOf = async (token: string, userId: string) =>
  (await expectData(token, 'GET', `/users/${userId}`, 200)).status;

test('an invitation is emailed, and its first link activates the user', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const team = await createTeam(token);
  const email = newEmail();
  const invitation = await invite(token, email, { role: 'manager', team_id: team.id });
  expect(invitation).toEqual({
    id: expect.any(String),
    user_id: expect.any(String),
    email,
    role: 'manager',
    team_id: team.id,
    status: 'pending',
    invited_at: expect.any(String),
    expires_at: expect.any(String),
  });
  expect(invitation.expires_at > invitation.invited_at).toBe(true);
  expect(await invitationsOf(token, '?status=pending')).toEqual([invitation]);
  const [mail] = await mailsTo(email);
  expect(mail).toMatchObject({ to: [email], links: [expect.stringMatching(/^http/)] });
  const events = followEvents(sql, tenantId);
  await events.all();
  expect(await statusOf(token, invitation.user_id)).toBe('invited');
  expect(await followLink(mail)).toBeLessThan(400);
  const user = await userWith(token, invitation.user_id, 'active');
  expect((await events.all()).map(({ type, data }) => [type, data.id, data.status])).toEqual([
    ['user.activated', user.id, 'active'],
  ]);
  expect(user.last_active_at).not.toBeNull();
  expect(await invitationsOf(token)).toEqual([{ ...invitation, status: 'accepted' }]);
  expect(await invitationsOf(token, '?status=pending')).toEqual([]);
  for (const [method, path] of [
    ['POST', '/resend'],
    ['DELETE', ''],
  ] as const) {
    const reply = await records(token, method, `/invitations/${invitation.id}${path}`);
    expect(faultOf(reply)).toMatchObject({ status: 409, code: 'CONFLICT' });
  }
});

describe('two tenants that invite one person', () => {
  test.each([
    ['first', [0, 1]],
    ['second', [1, 0]],
  ])('each have their own link; the %s is opened first', async (_, order) => {
    const email = newEmail();
    const tenants = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    const users: string[] = [];
    for (const [index, { token }] of tenants.entries()) {
      users.push((await invite(token, email)).user_id);
      await mailsTo(email, index + 1);
    }
    const mails = (await mailsTo(email, 2)).toReversed();
    const statuses = () =>
      Promise.all(tenants.map(({ token }, index) => statusOf(token, users[index] ?? '')));
    const [now = 0, later = 1] = order;
    await followLink(mails[now]);
    await userWith(tenants[now]?.token ?? '', users[now] ?? '', 'active');
    expect((await statuses())[later]).toBe('invited');
    await followLink(mails[later]);
    await userWith(tenants[later]?.token ?? '', users[later] ?? '', 'active');
    expect((await authUserOf(sql, email)).banned).toBe(false);
  });

  test('are not accepted by a HEAD request of the link', async () => {
    const email = newEmail();
    const [one, two] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    await invite(one.token, email);
    await mailsTo(email, 1);
    const { user_id: userId } = await invite(two.token, email);
    const [mail] = await mailsTo(email, 2);
    const link = mail?.links[0] ?? '';
    expect(link).toContain('/v1/invitations/accept');
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    expect(await statusOf(two.token, userId)).toBe('invited');
    await followLink(mail);
    await userWith(two.token, userId, 'active');
  });

  test('lead to the sign-in page of the console on the web', async () => {
    const email = newEmail();
    const [one, two] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    await invite(one.token, email);
    await mailsTo(email, 1);
    const { user_id: userId } = await invite(two.token, email);
    const link = new URL((await mailsTo(email, 2))[0]?.links[0] ?? '');
    const { baseUrl } = await startOwnFunction('v1', { CONSOLE_URL: 'https://console.example.com' });
    const reply = await fetch(`${baseUrl}/v1/invitations/accept${link.search}`, { redirect: 'manual' });
    expect([reply.status, reply.headers.get('location')]).toEqual([
      303,
      'https://console.example.com/sign-in',
    ]);
    await userWith(two.token, userId, 'active');
  });

  test('concurrently reach the person with a link each', async () => {
    const email = newEmail();
    const tenants = await Promise.all([0, 1, 2].map(() => createRecordsTenant(sql)));
    const users = await Promise.all(tenants.map(({ token }) => invite(token, email)));
    for (const mail of await mailsTo(email, 3)) await followLink(mail);
    await Promise.all(tenants.map(({ token }, index) => userWith(token, users[index].user_id, 'active')));
  });

  test('do not treat the link of one as acceptance of the other, whose email is not sent yet', async () => {
    const email = newEmail();
    const [one, two] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    const first = await invite(one.token, email);
    const [mail] = await mailsTo(email);
    // The state that a worker leaves behind if it ends between the claim and the mail.
    const second = await sql.begin(async (tx) => {
      const [user] = await tx`
        insert into users (tenant_id, name, email, status) values (${two.id}, 'Rui', ${email}, 'invited') returning id`;
      await tx`update jobs set published_at = '2999-01-01' where tenant_id = ${two.id} and name = 'send-invitation'`;
      await tx`select app.claim_invitation(id) from invitations where user_id = ${user?.id}`;
      return user?.id;
    });
    await followLink(mail);
    await userWith(one.token, first.user_id, 'active');
    expect(await statusOf(two.token, second)).toBe('invited');
  });

  test("after one has revoked: the other's link works, and gives the person access", async () => {
    const email = newEmail();
    const [one, two] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    const revoked = await invite(one.token, email);
    const [old] = await mailsTo(email);
    await expectData(one.token, 'DELETE', `/invitations/${revoked.id}`, 204);
    await waitFor(async () => (await authUserOf(sql, email)).banned);
    const second = await invite(two.token, email);
    const [mail] = await mailsTo(email, 2);
    await followLink(old);
    expect((await authUserOf(sql, email)).banned).toBe(true);
    await followLink(mail);
    await userWith(two.token, second.user_id, 'active');
    await waitFor(async () => !(await authUserOf(sql, email)).banned);
    expect(await statusOf(one.token, revoked.user_id)).toBe('deactivated');
  });

  test("after one has banned the person: accepting the other's restores access", async () => {
    const email = newEmail();
    const [one, two] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    const user = await createUser(one.token, { email });
    await followLink((await mailsTo(email))[0]);
    await userWith(one.token, user.id, 'active');
    await expectData(one.token, 'DELETE', `/users/${user.id}`, 204);
    await waitFor(async () => (await authUserOf(sql, email)).banned);
    const second = await invite(two.token, email);
    await followLink((await mailsTo(email, 2))[0]);
    await userWith(two.token, second.user_id, 'active');
    await waitFor(async () => !(await authUserOf(sql, email)).banned);
    expect(await statusOf(one.token, user.id)).toBe('deactivated');
  });
});

describe('revoking', () => {
  test('deactivates the user, whom the link never activates', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const email = newEmail();
    const { id, user_id: userId } = await invite(token, email);
    const [mail] = await mailsTo(email);
    const events = followEvents(sql, tenantId);
    await events.all();
    await expectData(token, 'DELETE', `/invitations/${id}`, 204);
    await followLink(mail);
    expect(await statusOf(token, userId)).toBe('deactivated');
    expect(await events.types()).toEqual(['user.deactivated']);
    expect((await invitationsOf(token))[0]).toMatchObject({ id, status: 'revoked' });
    expect((await records(token, 'DELETE', `/invitations/${id}`)).status).toBe(409);
    expect((await records(token, 'POST', `/invitations/${id}/resend`)).status).toBe(409);
    await sql`update auth.users set email_confirmed_at = now() where email = ${email}`;
    expect(await statusOf(token, userId)).toBe('deactivated');
  });

  test('also follows from deactivating the invited user, and invalidates our own links', async () => {
    const [other, here] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    const email = newEmail();
    await invite(other.token, email);
    await mailsTo(email);
    const { user_id: userId } = await invite(here.token, email);
    const [own] = await mailsTo(email, 2);
    await expectData(here.token, 'DELETE', `/users/${userId}`, 204);
    expect((await invitationsOf(here.token))[0].status).toBe('revoked');
    expect(await followLink(own)).toBe(404);
    expect(await statusOf(here.token, userId)).toBe('deactivated');
    expect((await invitationsOf(other.token))[0].status).toBe('pending');
  });
});

describe('expiry', () => {
  test('ends an invitation; resending it starts again', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const email = newEmail();
    const { id, user_id: userId, ...sent } = await invite(token, email);
    const [old] = await mailsTo(email);
    await sql`update invitations set expires_at = now() - interval '1 second' where tenant_id = ${tenantId}`;
    expect((await invitationsOf(token))[0].status).toBe('expired');
    expect(await invitationsOf(token, '?status=pending')).toEqual([]);
    expect(await invitationsOf(token, '?status=expired')).toHaveLength(1);
    await forgetMails(sql, tenantId);
    const again = await expectData(token, 'POST', `/invitations/${id}/resend`, 200);
    expect(again).toMatchObject({ id, user_id: userId, email, status: 'pending' });
    expect(again.invited_at > sent.invited_at && again.expires_at > sent.expires_at).toBe(true);
    const [mail] = await mailsTo(email, 2);
    await followLink(old);
    expect(await statusOf(token, userId)).toBe('invited');
    await followLink(mail);
    await userWith(token, userId, 'active');
  });

  test('ends our own link as well', async () => {
    const email = newEmail();
    const [other, here] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    await invite(other.token, email);
    await mailsTo(email);
    const { id, user_id: userId } = await invite(here.token, email);
    const [old] = await mailsTo(email, 2);
    await sql`update invitations set expires_at = now() where tenant_id = ${here.id}`;
    expect(await followLink(old)).toBe(404);
    expect(await statusOf(here.token, userId)).toBe('invited');
    await forgetMails(sql, here.id);
    await expectData(here.token, 'POST', `/invitations/${id}/resend`, 200);
    const [mail] = await mailsTo(email, 3);
    expect(await followLink(old)).toBe(404);
    expect(await followLink(mail)).toBe(200);
    expect(await statusOf(here.token, userId)).toBe('active');
    expect(await followLink(mail)).toBe(404);
  });
});

test("rejects malformed input, and does not know other tenants' invitations", async () => {
  const { token } = await createRecordsTenant(sql);
  const other = await createRecordsTenant(sql);
  const { id } = await invite(other.token, newEmail());
  expect(faultOf(await records(token, 'POST', '/invitations', { name: 'x' }))).toMatchObject({
    status: 400,
    fields: ['email', 'role'],
  });
  expect(faultOf(await records(token, 'GET', '/invitations?status=open'))).toMatchObject({
    status: 400,
    fields: ['status'],
  });
  for (const unknown of [id, NOBODY, 'x']) {
    expect((await records(token, 'DELETE', `/invitations/${unknown}`)).status).toBe(404);
    expect((await records(token, 'POST', `/invitations/${unknown}/resend`)).status).toBe(404);
  }
  expect((await invitationsOf(other.token))[0].status).toBe('pending');
  for (const link of ['', '?token=x', `?token=${'a'.repeat(40)}`]) {
    expect((await records(null, 'GET', `/invitations/accept${link}`)).status).toBe(404);
  }
  expect((await records(null, 'GET', '/invitations/accept?token=x&token=y')).status).toBe(400);
});

describe('while the user is deactivated', () => {
  test.each([
    ['accepting by Auth’s link', false],
    ['accepting by our own link', true],
    ['revoking', undefined],
  ])('%s waits, finds the invitation revoked and does not deadlock', async (_, ownLink) => {
    const { token } = await createRecordsTenant(sql);
    const email = newEmail();
    if (ownLink) {
      await invite((await createRecordsTenant(sql)).token, email);
      await mailsTo(email);
    }
    const { id, user_id: userId } = await invite(token, email);
    const [mail] = await mailsTo(email, ownLink ? 2 : 1);
    let other: Promise<number> | undefined;
    await sql.begin(async (tx) => {
      await tx`select from users where id = ${userId} for no key update`;
      const [me] = await tx`select pg_backend_pid() as pid`;
      other =
        ownLink === undefined
          ? records(token, 'DELETE', `/invitations/${id}`).then(({ status }) => status)
          : followLink(mail);
      await waitFor(async () => {
        const rows = await sql`select from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`;
        return rows.length > 0;
      });
      await tx`update users set status = 'deactivated' where id = ${userId}`;
    });
    expect(await other).toBe({ true: 404, false: 303, undefined: 409 }[`${ownLink}`]);
    expect(await statusOf(token, userId)).toBe('deactivated');
    expect((await invitationsOf(token))[0].status).toBe('revoked');
  });
});
