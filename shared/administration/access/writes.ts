// Writes API keys and OAuth clients, and exports and erases the data of persons. A caller can only give scopes that it has itself.
import type { z } from 'zod';
import { type Context, clientOf } from '../../platform/access/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import { keyRotating } from '../errors.ts';
import { recordId } from '../named/queries.ts';
import type { Target } from '../named/writes.ts';
import { expectRecord, expectRoom, lockRoom, moment } from '../statements.ts';
import { type Changed, change } from '../transactions.ts';
import * as queries from './queries.ts';
import type { apiKeyChange, clientChange, newApiKey, newClient } from './schema.ts';

const MAX_CREDENTIALS = 100;
const DEFAULT_REQUESTS_PER_HOUR = 1000;

const expectKeyRoom = (sql: Sql, tenantId: string, max = MAX_CREDENTIALS) => [
  lockRoom(sql, tenantId, 'api_keys'),
  expectRoom(sql, tenantId, {
    table: 'api_keys',
    max,
    noun: 'API keys in use',
    where: queries.isUsable(sql),
  }),
];

/** Creates an API key, which the answer shows once. Throws `insufficient_scope` and `unprocessable`. */
export async function createKey(context: Context, body: z.output<typeof newApiKey>): Promise<Changed> {
  const { tenantId } = context;
  const { label, scopes, expires_at: expiresAt = null, ip_allowlist: allowlist = [] } = body;
  return await change(context, (sql) => ({
    scopes: queries.expectNewKeyScopes(sql, scopes),
    room: expectKeyRoom(sql, tenantId),
    secret: queries.insertKey(sql, {
      label,
      scopes,
      requestsPerHour: body.requests_per_hour ?? DEFAULT_REQUESTS_PER_HOUR,
      allowlist: queries.networks(sql, allowlist),
      expiresAt: moment(sql, expiresAt),
    }),
    shown: queries.selectKey(sql, tenantId),
  }));
}

/** Finds and locks the key, and checks the versions of `If-Match`. */
const lockKey = (sql: Sql, tenantId: string, { ref, versions }: Target) => [
  queries.rememberKey(sql, tenantId, ref),
  queries.lockKey(sql, tenantId),
  expectRecord(sql, null, versions, queries.selectKey(sql, tenantId)),
];

/** Changes an API key. Throws `not_found`, `precondition_failed`, `insufficient_scope`, `conflict` and `unprocessable`. */
export async function updateKey(
  context: Context,
  target: Target,
  {
    label,
    scopes,
    requests_per_hour: perHour,
    ip_allowlist: list,
    expires_at: expiresAt,
  }: z.output<typeof apiKeyChange>,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(context, (sql) => {
    const ends = expiresAt === undefined ? sql`k.expires_at` : moment(sql, expiresAt);
    return {
      locked: lockKey(sql, tenantId, target),
      scopes: queries.expectKeyScopes(sql, tenantId, scopes),
      state: queries.expectKeyNotRevoked(sql, tenantId),
      room:
        expiresAt === undefined
          ? []
          : [
              lockRoom(sql, tenantId, 'api_keys'),
              // An expired key, or one that was rotated, works again or longer.
              expectRoom(sql, tenantId, {
                table: 'api_keys',
                max: MAX_CREDENTIALS,
                noun: 'other API keys in use',
                where: sql`${queries.isUsable(sql)} and r.id <> ${recordId(sql)} and ${queries.isLaterThanExpiry(sql, tenantId, ends)}`,
              }),
            ],
      update: queries.updateKey(sql, tenantId, {
        label: label ?? sql`k.label`,
        scopes: scopes ?? sql`k.scopes`,
        requestsPerHour: perHour ?? sql`k.requests_per_hour`,
        allowlist: list ? queries.networks(sql, list) : sql`k.ip_allowlist`,
        expiresAt: ends,
      }),
      shown: queries.selectKey(sql, tenantId),
    };
  });
}

/** Revokes an API key; again, nothing changes. Throws `not_found` and `precondition_failed`. */
export const revokeKey = (context: Context, target: Target): Promise<Changed> =>
  change(context, (sql) => ({
    locked: lockKey(sql, context.tenantId, target),
    revoke: queries.revokeKey(sql),
  }));

/** Replaces an API key; the old one expires in 24 hours. Throws like `updateKey`. */
export async function rotateKey(context: Context, target: Target): Promise<Changed> {
  const { tenantId } = context;
  return await change(
    context,
    (sql) => ({
      locked: lockKey(sql, tenantId, target),
      scopes: queries.expectKeyScopes(sql, tenantId),
      state: [queries.expectKeyNotRevoked(sql, tenantId), queries.expectKeyNotExpired(sql, tenantId)],
      // Each of the keys can be replaced at once, and the old ones work for another day.
      room: expectKeyRoom(sql, tenantId, 2 * MAX_CREDENTIALS),
      secret: queries.rotateKey(sql),
      shown: queries.selectKey(sql, tenantId),
    }),
    { onArgument: keyRotating },
  );
}

/** Creates an OAuth client, whose secret the answer shows once. Throws `insufficient_scope` and `unprocessable`. */
export async function createClient(
  context: Context,
  { label, scopes, variant = 'a', user = null }: z.output<typeof newClient>,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(context, (sql) => ({
    scopes: queries.expectNewClientScopes(sql, scopes),
    room: [
      lockRoom(sql, tenantId, 'oauth_clients'),
      expectRoom(sql, tenantId, {
        table: 'oauth_clients',
        max: MAX_CREDENTIALS,
        noun: 'OAuth clients in use',
        where: sql`r.revoked_at is null`,
      }),
    ],
    secret: queries.insertClient(sql, { label, scopes, variant, user: queries.userId(sql, user) }),
    id: queries.rememberNewClient(sql, tenantId),
    shown: queries.selectClient(sql, tenantId),
  }));
}

/** Finds and locks the client, and checks the versions of `If-Match`. */
const lockClient = (sql: Sql, tenantId: string, { ref, versions }: Target) => [
  queries.rememberClient(sql, tenantId, ref),
  queries.lockClient(sql, tenantId),
  expectRecord(sql, null, versions, queries.selectClient(sql, tenantId)),
];

/** Changes an OAuth client. Throws `not_found`, `precondition_failed`, `insufficient_scope`, `conflict` and `unprocessable`. */
export async function updateClient(
  context: Context,
  target: Target,
  { label, scopes, variant, user }: z.output<typeof clientChange>,
): Promise<Changed> {
  const { tenantId, actor } = context;
  return await change(context, (sql) => ({
    locked: lockClient(sql, tenantId, target),
    scopes: queries.expectClientScopes(sql, tenantId, scopes),
    state: [
      queries.expectClientNotRevoked(sql, tenantId),
      ...(scopes ? [queries.expectOwnScopesStay(sql, tenantId, clientOf(actor), scopes)] : []),
    ],
    update: queries.updateClient(sql, tenantId, {
      label: label ?? sql`c.label`,
      scopes: scopes ?? sql`c.scopes`,
      variant: variant ?? sql`c.variant`,
      user: user === undefined ? sql`c.user_id` : queries.userId(sql, user),
    }),
    shown: queries.selectClient(sql, tenantId),
  }));
}

/** Revokes an OAuth client and its tokens; again, nothing changes. Throws `not_found` and `precondition_failed`. */
export const revokeClient = (context: Context, target: Target): Promise<Changed> =>
  change(context, (sql) => ({
    locked: lockClient(sql, context.tenantId, target),
    revoke: queries.revokeClient(sql),
  }));

/** Replaces the secret of an OAuth client; the old one works for 24 hours. Throws like `updateClient`. */
export async function rotateClientSecret(context: Context, target: Target): Promise<Changed> {
  const { tenantId } = context;
  return await change(context, (sql) => ({
    locked: lockClient(sql, tenantId, target),
    scopes: queries.expectClientScopes(sql, tenantId),
    state: queries.expectClientNotRevoked(sql, tenantId),
    secret: queries.rotateSecret(sql),
    shown: queries.selectClient(sql, tenantId),
  }));
}

/** Throws `rate_limited`. */
export const exportPerson = (context: Context, email: string): Promise<Changed> =>
  change(context, (sql) => ({ shown: queries.exportPerson(sql, email) }));

/** Throws `rate_limited`. */
export const erasePerson = (context: Context, email: string): Promise<Changed> =>
  change(context, (sql) => ({ shown: queries.erasePerson(sql, email) }));
