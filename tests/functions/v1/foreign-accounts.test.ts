// Limits of a tenant's power over Auth accounts through email addresses: accounts of other programs, and accounts banned by an operator.
import { expect, inject, test } from 'vitest';
import { createSupabaseClient } from '../../platform/platform-database.ts';
import { connectDatabase } from '../../support/database.ts';
import {
  authUserOf,
  authWorked,
  createUser,
  expectData,
  followLink,
  forgetMails,
  mailsTo,
  newEmail,
  userWith,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const operator = createSupabaseClient(
  inject('env').SUPABASE_URL ?? '',
  JSON.parse(inject('env').SUPABASE_SECRET_KEYS ?? '{}').default,
).auth.admin;

/** An account of another program in the same deployment. */
async function accountOfOthers(confirmed = true): Promise<{ id: string; email: string }> {
  const email = newEmail();
  const { data, error } = await operator.inviteUserByEmail(email);
  if (error) throw error;
  if (confirmed) await followLink((await mailsTo(email))[0]);
  return { id: data.user.id, email };
}

const ban = async (id: string, duration: string) => {
  const { error } = await operator.updateUserById(id, { ban_duration: duration });
  if (error) throw error;
};

const worked = (email: string) => authWorked(sql, email);

/** Invites, waits for the mail, deactivates and removes. Resets the mail limit of the address. */
async function inviteAndRemove(tenantId: string, token: string, email: string, mails: number): Promise<void> {
  const user = await createUser(token, { email });
  await mailsTo(email, mails);
  await expectData(token, 'DELETE', `/users/${user.id}`, 204);
  await worked(email);
  await expectData(token, 'DELETE', `/users/${user.id}?permanent=true`, 204);
  await worked(email);
  await forgetMails(sql, tenantId);
}

test.each([
  ['that is confirmed', true],
  ['that is not confirmed yet', false],
])('a foreign account %s is neither banned nor deleted', async (_, confirmed) => {
  const { token } = await createRecordsTenant(sql);
  const { id, email } = await accountOfOthers(confirmed);
  const user = await createUser(token, { email });
  await mailsTo(email, 2);
  await expectData(token, 'DELETE', `/users/${user.id}`, 204);
  await worked(email);
  expect(await authUserOf(sql, email)).toMatchObject({ id, confirmed, banned: false });
  await expectData(token, 'DELETE', `/users/${user.id}?permanent=true`, 204);
  await worked(email);
  expect(await authUserOf(sql, email)).toMatchObject({ id, confirmed, banned: false });
  // The link of its own mail still works.
  if (!confirmed) {
    await followLink((await mailsTo(email)).at(-1));
    expect(await authUserOf(sql, email)).toMatchObject({ id, confirmed: true });
  }
});

test('a foreign account that accepted is banned while a tenant has it deactivated, and never deleted', async () => {
  const { token } = await createRecordsTenant(sql);
  const { id, email } = await accountOfOthers();
  const user = await createUser(token, { email });
  await followLink((await mailsTo(email, 2))[0]);
  await userWith(token, user.id, 'active');
  await expectData(token, 'DELETE', `/users/${user.id}`, 204);
  await waitFor(async () => (await authUserOf(sql, email)).banned);
  await expectData(token, 'DELETE', `/users/${user.id}?permanent=true`, 204);
  await worked(email);
  expect(await authUserOf(sql, email)).toMatchObject({ id, banned: false });
});

test('an account whose owner registered after our invitation ended is neither banned nor deleted', async () => {
  const { token } = await createRecordsTenant(sql);
  const user = await createUser(token);
  const { email } = user;
  await mailsTo(email);
  await sql`update invitations set expires_at = now() where user_id = ${user.id}`;
  await sql`update auth.users set email_confirmed_at = now(), last_sign_in_at = now() where email = ${email}`;
  await expectData(token, 'DELETE', `/users/${user.id}`, 204);
  await worked(email);
  expect(await authUserOf(sql, email)).toMatchObject({ confirmed: true, banned: false });
  await expectData(token, 'DELETE', `/users/${user.id}?permanent=true`, 204);
  await worked(email);
  expect(await authUserOf(sql, email)).toMatchObject({ confirmed: true, banned: false });
});

test('an account whose owner registered while invited is banned while deactivated, and never deleted', async () => {
  const { token } = await createRecordsTenant(sql);
  const user = await createUser(token);
  const { email } = user;
  await mailsTo(email);
  // Simulates a person who signs up and follows the link in Auth's confirmation email.
  await sql`update auth.users set confirmation_sent_at = now(), confirmation_token = 'x' || id where email = ${email}`;
  await sql`update auth.users set email_confirmed_at = now(), last_sign_in_at = now() where email = ${email}`;
  await userWith(token, user.id, 'active');
  await expectData(token, 'DELETE', `/users/${user.id}`, 204);
  await worked(email);
  expect(await authUserOf(sql, email)).toMatchObject({ confirmed: true, banned: true });
  await expectData(token, 'DELETE', `/users/${user.id}?permanent=true`, 204);
  await worked(email);
  expect(await authUserOf(sql, email)).toMatchObject({ confirmed: true, banned: false });
});

test.each([
  ['876000h', 'for ever'],
  ['48h', 'for two days'],
])("an operator's ban (%s) survives everything that tenants do, including acceptance", async (duration) => {
  const { token, id: tenantId } = await createRecordsTenant(sql);
  const { id, email } = await accountOfOthers();
  await ban(id, duration);
  const before = await sql`select banned_until from auth.users where id = ${id}`;
  const still = async () => {
    await worked(email);
    expect(await sql`select banned_until from auth.users where id = ${id}`).toEqual(before);
  };

  await inviteAndRemove(tenantId, token, email, 2);
  await still();
  const user = await createUser(token, { email });
  await followLink((await mailsTo(email, 3))[0]);
  await userWith(token, user.id, 'active');
  await still();
  await expectData(token, 'DELETE', `/users/${user.id}`, 204);
  await still();
  await expectData(token, 'DELETE', `/users/${user.id}?permanent=true`, 204);
  await still();
});

test("acceptance lifts another tenant's ban, but not an operator's in its place", async () => {
  const [one, two] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
  const email = newEmail();
  const user = await createUser(one.token, { email });
  await followLink((await mailsTo(email))[0]);
  await userWith(one.token, user.id, 'active');
  await expectData(one.token, 'DELETE', `/users/${user.id}`, 204);
  const { id } = await waitFor(async () => {
    const account = await authUserOf(sql, email);
    return account.banned && account;
  });

  await inviteAndRemove(two.id, two.token, email, 2);
  expect(await authUserOf(sql, email)).toMatchObject({ id, banned: true });
  await ban(id, '876000h');
  const accepted = await createUser(two.token, { email });
  await followLink((await mailsTo(email, 3))[0]);
  await userWith(two.token, accepted.id, 'active');
  await worked(email);
  expect(await authUserOf(sql, email)).toMatchObject({ id, banned: true });
});

test("when an operator's ban ends, a ban by a tenant follows", async () => {
  const { token } = await createRecordsTenant(sql);
  const { id, email } = await accountOfOthers();
  const user = await createUser(token, { email });
  await followLink((await mailsTo(email, 2))[0]);
  await userWith(token, user.id, 'active');
  await ban(id, '48h');
  await expectData(token, 'DELETE', `/users/${user.id}`, 204);
  const [waiting] = await waitFor(async () => {
    const rows = await sql`
      select j.due_at = a.banned_until as follows
      from jobs j join auth.users a on a.email = j.payload ->> 'email'
      where j.name = 'sync-auth-user' and a.id = ${id} and j.finished_at is null and j.locked_until is null
        and j.due_at > now()`;
    return rows.length > 0 && rows;
  });
  expect(waiting).toEqual({ follows: true });
});
