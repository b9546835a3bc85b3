// A request is rejected for lack of a free connection only before it has an effect: its session reports this to the database.
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import type { CallerSession, CallerVariables, Guard } from '../../../../shared/platform/access/guard.ts';
import { createRateLimitCache } from '../../../../shared/platform/access/rate-limited-session.ts';
import type { Counter } from '../../../../shared/platform/access/request-counter.ts';
import { requireSignature } from '../../../../shared/platform/access/require-signature.ts';
import { requireToken } from '../../../../shared/platform/access/require-token.ts';
import type { Database, Session } from '../../../../shared/platform/db/database.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import type { BodyVariables } from '../../../../shared/platform/request/body.ts';
import { type RequestVariables, startRequest } from '../../../../shared/platform/request/request-context.ts';

const tenantId = crypto.randomUUID();
const apiKey = `sk_test_${'0'.repeat(32)}`;
const counter: Counter = {
  count: async () => undefined,
  peek: async () => undefined,
  countMany: async () => undefined,
  uncount: async () => {},
  ping: async () => {},
};
const keyRow = {
  ...{ id: crypto.randomUUID(), tenant_id: tenantId, scopes: ['default:sync'], requests_per_hour: 10 },
  ...{ expired: false, revoked: false, address_allowed: true, touch_due: false },
};

/** The requested transactions, the next of which may fail. */
function startDatabase() {
  const sessions: Session[] = [];
  const state = { fails: false };
  // Rows for the queries of the guards. The statements of this test return none.
  const database = {
    async transaction(session: Session) {
      sessions.push({ ...session });
      if (state.fails) throw new Error('refused');
      return [];
    },
    asLogin: async () => [{ ...keyRow, allowed: 10 }],
    close: async () => {},
  } as unknown as Database;
  return { database, sessions, state };
}

const guards: [string, string, (database: Database) => Guard][] = [
  [
    'an API key',
    `Bearer ${apiKey}`,
    (database) =>
      requireSignature({ database, counter, environment: 'staging', role: 'api', allowBearer: true }),
  ],
  [
    'an access token',
    'Bearer token',
    (database) => {
      const scopes = ['default:sync'];
      const token = {
        clientId: 'c',
        tenantId,
        scopes,
        tokenId: crypto.randomUUID(),
        plan: 'p',
        variant: 'a',
        expiresAt: new Date(),
      } as const;
      const verifier = { verify: async () => ({ ...token, scopes }) };
      return requireToken({ database, counter, verifier, rateLimits: createRateLimitCache() });
    },
  ],
];

describe.each(guards)('%s', (_, authorization, guardOf) => {
  test('counts as started after a write, but not after a read or a rejected write', async () => {
    const { database, sessions, state } = startDatabase();
    const app = new Hono<{ Variables: RequestVariables & BodyVariables & CallerVariables }>();
    app.use(startRequest({ name: 'test', log: silentLogger, addressHeader: '' }));
    const work = async ({ read, write }: CallerSession) => {
      await read(() => []);
      state.fails = true;
      await expect(write(() => [])).rejects.toThrow('refused');
      state.fails = false;
      await write(() => []);
      await read(() => []);
      await write(() => []);
    };
    app.post('/', guardOf(database)({ scopes: ['default:sync'], reads: false }), async (c) => {
      await work(c.var.caller.session);
      return c.body(null, 204);
    });
    const reply = await app.request('/', { method: 'POST', headers: { authorization } });
    expect(reply.status).toBe(204);
    expect(sessions.map(({ reads = false, hasWritten }) => [reads, hasWritten])).toEqual([
      [true, false],
      [false, false],
      [false, false],
      [true, true],
      [false, true],
    ]);
  });
});
