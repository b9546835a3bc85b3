// What only a secret key may call.
import { createHash } from 'node:crypto';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import postgres from 'postgres';
import { z } from 'zod';
import { isOneOf, readBearer } from '../api-keys.ts';
import { readBan } from './ban.ts';
import { AuthError, parseBody } from './errors.ts';
import { type IssuedLink, issueLink } from './links.ts';
import type { AuthOptions } from './options.ts';
import { createUsers, type Metadata, toUser, type UserChange } from './users.ts';

const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email('Unable to validate email address: invalid format'));
const Data = z.record(z.string(), z.json()).transform((data): Metadata => data);

const Attributes = z.object({
  id: z.uuid().optional(),
  email: Email.optional(),
  phone: z.string().min(1).optional(),
  password: z.string().min(1).optional(),
  email_confirm: z.boolean().optional(),
  ban_duration: z.string().optional(),
  role: z.string().min(1).optional(),
  user_metadata: Data.optional(),
  app_metadata: Data.optional(),
});

const Invitation = z.object({ email: Email, data: Data.nullish() });

const LinkBody = z.object({
  type: z.enum(['signup', 'invite', 'magiclink', 'recovery']),
  email: Email,
  password: z.string().optional(),
  data: Data.nullish(),
  redirect_to: z.string().optional(),
});

function toChange(attributes: z.output<typeof Attributes>): UserChange {
  const { email, phone, password, role, user_metadata, app_metadata } = attributes;
  const change: UserChange = {};
  if (email !== undefined) change.email = email;
  if (phone !== undefined) change.phone = phone;
  if (password !== undefined) change.password = password;
  if (role !== undefined) change.role = role;
  if (user_metadata) change.raw_user_meta_data = user_metadata;
  if (app_metadata) change.raw_app_meta_data = app_metadata;
  if (attributes.email_confirm) change.email_confirmed_at = new Date();
  if (attributes.ban_duration !== undefined) change.banned_until = readBan(attributes.ban_duration);
  return change;
}

/** Lets secret keys through. Throws 401 `no_authorization`, 403 `not_admin`. */
function requireSecretKey(secretKeys: readonly string[]): MiddlewareHandler {
  return async function requireSecretKeyMiddleware(c, next) {
    const bearer = readBearer(c);
    if (!bearer) throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
    if (!isOneOf(secretKeys, bearer)) throw new AuthError(403, 'not_admin', 'User not allowed');
    await next();
  };
}

function readUserId(c: Context): string {
  const id = z.uuid().safeParse(c.req.param('id'));
  if (!id.success) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID');
  return id.data;
}

export function createAdminRoutes(options: AuthOptions): Hono {
  const { sql, publicUrl } = options;
  const users = createUsers(sql);
  const app = new Hono();
  app.use('/invite', requireSecretKey(options.secretKeys));
  app.use('/admin/*', requireSecretKey(options.secretKeys));

  const toActionLink = ({ type, tokenHash }: IssuedLink, redirectTo: string) =>
    `${publicUrl}/auth/v1/verify?${new URLSearchParams({ token: tokenHash, type, redirect_to: redirectTo })}`;

  app.post('/invite', async (c) => {
    const { email, data } = parseBody(Invitation, await c.req.json());
    const issued = await issueLink(sql, { type: 'invite', email, data: data ?? undefined });
    const link = toActionLink(issued, c.req.query('redirect_to') || publicUrl);
    const text = `You have been invited. Follow this link to accept the invitation:\n\n${link}\n`;
    await options.onMail({ to: email, subject: 'You have been invited', text });
    return c.json(toUser(issued.row));
  });

  app.post('/admin/generate_link', async (c) => {
    const body = parseBody(LinkBody, await c.req.json());
    const issued = await issueLink(sql, { ...body, data: body.data ?? undefined });
    const redirectTo = body.redirect_to || c.req.query('redirect_to') || publicUrl;
    return c.json({
      ...toUser(issued.row),
      action_link: toActionLink(issued, redirectTo),
      email_otp: issued.otp,
      hashed_token: issued.tokenHash,
      verification_type: issued.type,
      redirect_to: redirectTo,
    });
  });

  app.post('/admin/users', async (c) => {
    const attributes = parseBody(Attributes, await c.req.json());
    if (!attributes.email && !attributes.phone) {
      throw new AuthError(400, 'validation_failed', 'Cannot create a user without either an email or phone');
    }
    const row = await sql.begin((tx) => createUsers(tx).create(toChange(attributes), attributes.id));
    return c.json(toUser(row));
  });

  app.get('/admin/users', async (c) => {
    const page = Math.max(1, Number(c.req.query('page')) || 1);
    const perPage = Math.max(1, Number(c.req.query('per_page')) || 50);
    const { rows, total } = await users.list(page, perPage);
    const last = Math.max(1, Math.ceil(total / perPage));
    const toLink = (to: number, rel: string) =>
      `<${publicUrl}/auth/v1/admin/users?page=${to}&per_page=${perPage}>; rel="${rel}"`;
    c.header('x-total-count', `${total}`);
    c.header('link', [...(page < last ? [toLink(page + 1, 'next')] : []), toLink(last, 'last')].join(', '));
    return c.json({ users: rows.map(toUser), aud: 'authenticated' });
  });

  app.get('/admin/users/:id', async (c) => c.json(toUser(await users.find(readUserId(c)))));

  app.put('/admin/users/:id', async (c) => {
    const change = toChange(parseBody(Attributes, await c.req.json()));
    const id = readUserId(c);
    return c.json(toUser(await sql.begin((tx) => createUsers(tx).update(id, change))));
  });

  app.delete('/admin/users/:id', async (c) => {
    const { id, email } = await users.find(readUserId(c));
    const body: { should_soft_delete?: unknown } = await c.req.json().catch(() => ({}));
    if (body.should_soft_delete === true) {
      // What is left can't be signed in with, nor read back, and the address is free again.
      const hidden = createHash('sha256').update(`${id}${email}`).digest('hex');
      await users.update(id, {
        deleted_at: new Date(),
        email: hidden,
        confirmation_token: '',
        recovery_token: '',
      });
      return c.json({});
    }
    await users.delete(id).catch((error: unknown) => {
      // A row elsewhere still points at the user.
      if (!(error instanceof postgres.PostgresError)) throw error;
      throw new AuthError(500, 'unexpected_failure', 'Database error deleting user');
    });
    return c.json({});
  });

  return app;
}
