// Auth accounts that belong to several tenants, or that tenants only refer to: whose deactivation and removal has an effect.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  authUserOf,
  authWorked,
  createUser,
  expectData,
  followLink,
  mailsTo,
  newEmail,
  userWith,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant } from '../../support/records/records.ts';

const sql = connectDatabase();
const deactivate = (token: string, id: string) => expectData(token, 'DELETE', `/users/${id}`, 204);
const remove = (token: string, id: string) => expectData(token, 'DELETE', `/users/${id}?permanent=true`, 204);

/** A user who accepted an invitation of this tenant, which created the account. */
async function member(token: string) {
  const user = await createUser(token);
  await followLink((await mailsTo(user.email))[0]);
  return userWith(token, user.id, 'active');
}

/** As Auth does when the new email address is confirmed. */
async function changeEmailInAuth(email: string): Promise<string> {
  const changed = newEmail();
  await sql`update auth.users set email = ${changed} where email = ${email}`;
  return changed;
}

test('naming an address that a member changed to in Auth neither bans nor deletes the member', async () => {
  const [here, attacker] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
  const { id, email } = await member(here.token);
  const account = await authUserOf(sql, email);
  const changed = await changeEmailInAuth(email);
  const named = await createUser(attacker.token, { email: changed });
  await mailsTo(changed);
  await deactivate(attacker.token, named.id);
  await authWorked(sql, changed);
  expect(await authUserOf(sql, changed)).toEqual(account);
  await remove(attacker.token, named.id);
  await authWorked(sql, changed);
  expect(await authUserOf(sql, changed)).toEqual(account);
  expect(await expectData(here.token, 'GET', `/users/${id}`, 200)).toMatchObject({ status: 'active', email });
});

test('a member who changed their address in Auth is still found, banned, unbanned and deleted there', async () => {
  const { token } = await createRecordsTenant(sql);
  const { id, email } = await member(token);
  const changed = await changeEmailInAuth(email);
  await sql`update auth.users set last_sign_in_at = '2999-01-01Z' where email = ${changed}`;
  const seen = await expectData(token, 'GET', `/users/${id}`, 200);
  expect(seen.last_active_at).toBe('2999-01-01T00:00:00.000000Z');
  await deactivate(token, id);
  await authWorked(sql, email);
  expect(await authUserOf(sql, changed)).toMatchObject({ banned: true });
  await sql`update users set status = 'active' where id = ${id}`;
  await authWorked(sql, email);
  expect(await authUserOf(sql, changed)).toMatchObject({ banned: false });
  await remove(token, id);
  await authWorked(sql, email);
  expect(await authUserOf(sql, changed)).toBeUndefined();
});

test('erasing a person deletes their account even if they changed their address there', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const { email } = await member(token);
  const changed = await changeEmailInAuth(email);
  await sql`select admin.erase_person(${tenantId}, ${email})`;
  await authWorked(sql, email);
  expect(await authUserOf(sql, changed)).toBeUndefined();
});

test('deleting a tenant deletes the accounts of its members who changed their address there', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const { email } = await member(token);
  const changed = await changeEmailInAuth(email);
  const [tenant] = await sql`select slug from tenants where id = ${tenantId}`;
  await sql`select from admin.delete_tenant(${tenantId}, ${tenant?.slug})`;
  await authWorked(sql, email);
  expect(await authUserOf(sql, changed)).toBeUndefined();
});

test('an invitation that expired unaccepted protects nobody', async () => {
  const [employer, third] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
  const { id, email } = await member(employer.token);
  const named = await createUser(third.token, { email });
  await mailsTo(email, 2);
  await sql`update invitations set expires_at = now() where user_id = ${named.id}`;
  await deactivate(employer.token, id);
  await authWorked(sql, email);
  expect(await authUserOf(sql, email)).toMatchObject({ banned: true });
  await remove(employer.token, id);
  await authWorked(sql, email);
  expect(await authUserOf(sql, email)).toBeUndefined();
});

test('an open invitation delays the deletion until it expires, but not the ban', async () => {
  const [employer, third] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
  const { id, email } = await member(employer.token);
  const named = await createUser(third.token, { email });
  await mailsTo(email, 2);
  await deactivate(employer.token, id);
  await authWorked(sql, email);
  expect(await authUserOf(sql, email)).toMatchObject({ banned: true });
  await remove(employer.token, id);
  await authWorked(sql, email);
  expect(await authUserOf(sql, email)).toMatchObject({ banned: true });
  const [job] = await sql`
    select j.id, abs(extract(epoch from j.due_at - i.expires_at)) < 1 as at_its_end
    from jobs j, invitations i
    where j.payload ->> 'email' = ${email} and j.finished_at is null and i.user_id = ${named.id}`;
  expect(job).toMatchObject({ at_its_end: true });
  await sql`update invitations set expires_at = now() where user_id = ${named.id}`;
  await sql`update jobs set due_at = now(), published_at = null where id = ${job?.id}`;
  await authWorked(sql, email);
  expect(await authUserOf(sql, email)).toBeUndefined();
});

test('an account without an acceptance is left to tenants that still invite it', async () => {
  const [one, two] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
  const email = newEmail();
  const first = await createUser(one.token, { email });
  await mailsTo(email);
  const second = await createUser(two.token, { email });
  const [link] = await mailsTo(email, 2);
  await remove(one.token, first.id);
  await authWorked(sql, email);
  expect(await authUserOf(sql, email)).toMatchObject({ banned: false });
  await followLink(link);
  await userWith(two.token, second.id, 'active');
});
