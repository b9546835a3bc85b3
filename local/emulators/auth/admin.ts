// What programs with a secret key do: invite, create, change, ban and delete users.

import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { bearerOf, isOneOf } from '../credentials.ts';
import { parseDurationMs } from '../durations.ts';
import { merge } from './account.ts';
import type { AuthContext } from './context.ts';
import { Email } from './email-address.ts';
import { AuthError, emailExists, readBody, userNotFound, validationFailed } from './errors.ts';
import { changeIdentity } from './identities.ts';
import { sendLink } from './one-time-tokens.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import { redirectTo } from './redirects.ts';
import { createUsers, renderUser, type UserChange, type UserRow } from './users.ts';

const Metadata = z.record(z.string(), z.json());
const Invitation = z.object({ email: Email, data: Metadata.default({}) });
const UserParameters = z.object({
  email: Email.optional(),
  password: z.string().optional(),
  email_confirm: z.boolean().default(false),
  ban_duration: z.string().optional(),
  user_metadata: Metadata.optional(),
  app_metadata: Metadata.optional(),
});
type UserParameters = z.output<typeof UserParameters>;

export function createAdmin(auth: AuthContext, secretKeys: readonly string[]): Hono {
  const { sql } = auth;
  const users = createUsers(sql);
  const app = new Hono();
  app.use('*', async function requireSecretKey(c, next) {
    if (!isOneOf(secretKeys, bearerOf(c.req.header('authorization')))) {
      throw new AuthError(403, 'not_admin', 'User not allowed');
    }
    return next();
  });
  const respond = async (c: Context, row: UserRow) => c.json(await renderUser(sql, row));

  app.post('/invite', async (c) => {
    const { email, data } = await readBody(c, Invitation);
    const target = redirectTo(c.req.query('redirect_to'), auth.siteUrl, auth.isRedirectAllowed);
    const row = await sendLink(auth, async (tx) => {
      const existing = await createUsers(tx).findByEmail(email);
      if (existing?.email_confirmed_at) throw emailExists();
      const user = existing ?? (await createUsers(tx).create(email, data));
      // A repeated invitation is in the language that it names.
      const named = { ...user, raw_user_meta_data: { ...user.raw_user_meta_data, ...data } };
      return { user: named, kind: 'invite', redirectTo: target };
    });
    return respond(c, row);
  });

  app.post('/admin/users', async (c) => {
    const given = await readBody(c, UserParameters);
    const { email } = given;
    if (!email) throw validationFailed('Cannot create a user without either an email or phone');
    const change = await changeOf({ ...given, password: given.password || randomPassword() });
    const row = await sql.begin(async (tx) => {
      const created = await createUsers(tx).create(email, given.user_metadata);
      const user = await createUsers(tx).update(created.id, {
        ...change,
        ...(given.app_metadata && {
          raw_app_meta_data: merge(created.raw_app_meta_data, given.app_metadata),
        }),
      });
      return given.email_confirm ? createUsers(tx).confirm(user) : user;
    });
    return respond(c, row);
  });

  app.get('/admin/users/:id', async (c) => {
    const row = await users.findById(userIdOf(c));
    if (!row) throw userNotFound();
    return respond(c, row);
  });

  app.put('/admin/users/:id', async (c) => {
    const id = userIdOf(c);
    const given = await readBody(c, UserParameters);
    if (given.password) checkPassword(given.password);
    const change = await changeOf(given);
    return respond(c, await sql.begin((tx) => updateUser(tx, id, given, change)));
  });

  app.delete('/admin/users/:id', async (c) => {
    await users.delete(userIdOf(c));
    return c.json({});
  });

  return app;
}

async function updateUser(
  tx: Parameters<typeof createUsers>[0],
  id: string,
  { email, email_confirm: confirm, user_metadata, app_metadata, password }: UserParameters,
  change: UserChange,
): Promise<UserRow> {
  const users = createUsers(tx);
  const before = await users.findById(id);
  if (!before) throw userNotFound();
  if (email && email !== before.email) {
    if (await users.findByEmail(email)) throw emailExists();
    await changeIdentity(tx, id, { email, email_verified: confirm });
  }
  // A new password ends all sessions.
  if (password) await tx`delete from auth.sessions where user_id = ${id}`;
  const row = await users.update(id, {
    ...change,
    ...(email && { email }),
    ...(user_metadata && { raw_user_meta_data: merge(before.raw_user_meta_data, user_metadata) }),
    ...(app_metadata && { raw_app_meta_data: merge(before.raw_app_meta_data, app_metadata) }),
  });
  return confirm ? users.confirm(row) : row;
}

const randomPassword = () => randomBytes(32).toString('hex');

async function changeOf({ password, ban_duration: duration }: UserParameters): Promise<UserChange> {
  return {
    ...(duration !== undefined && { banned_until: endOfBan(duration) }),
    ...(password && { encrypted_password: await hashPassword(password) }),
  };
}

function userIdOf(c: Context): string {
  const id = z.uuid().safeParse(c.req.param('id'));
  if (!id.success) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID');
  return id.data;
}

/** End of a ban with this duration, such as `876000h`; null for `none`. */
function endOfBan(duration: string): Date | null {
  if (duration === 'none') return null;
  const lengthMs = parseDurationMs(duration);
  if (lengthMs === undefined) throw validationFailed(`invalid format for ban duration: ${duration}`);
  return new Date(Date.now() + lengthMs);
}
