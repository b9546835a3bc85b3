// Whose body is read, and for how long: those of unknown callers are not read, and those of known callers within a minute.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Guard } from '../../../../shared/platform/access/guard.ts';
import { createRateLimitCache } from '../../../../shared/platform/access/rate-limited-session.ts';
import type { Counter } from '../../../../shared/platform/access/request-counter.ts';
import { requireSignature } from '../../../../shared/platform/access/require-signature.ts';
import { requireToken } from '../../../../shared/platform/access/require-token.ts';
import type { Database } from '../../../../shared/platform/db/database.ts';
import { createApp } from '../../../../shared/platform/http/app.ts';
import { readVerifiedBody } from '../../../../shared/platform/jobs/verify-qstash.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import { activityErrorFormat } from '../../../../shared/platform/request/error-formats.ts';

afterEach(() => void vi.useRealTimers());

/** The error of Postgres for a client of a tenant that has moved. */
const MOVED = Object.assign(new Error('moved'), { code: 'PL421', detail: 'https://new.example.com' });

/** A database that knows one caller or none, or throws an error. */
const playDatabase = (row?: object): Database => ({
  transaction: async () => {
    throw new Error('there are no transactions here');
  },
  // The row is the result of the only function that is called.
  asLogin: async () => {
    if (row instanceof Error) throw row;
    return (row ? [row] : []) as never;
  },
  close: async () => {},
});

const usage = { used: 1, resetsAtMs: 0 };
const counter: Counter = {
  count: async () => usage,
  peek: async () => usage,
  countMany: async () => usage,
  uncount: async () => {},
  ping: async () => {},
};

const key = `sk_test_${'0'.repeat(32)}`;
const keyRow = {
  ...{ id: 'k', tenant_id: 't', scopes: ['default:sync'], requests_per_hour: 100 },
  ...{ revoked: false, expired: false, address_allowed: true, touch_due: false },
};
const byKey = (row?: object): Guard =>
  requireSignature({
    database: playDatabase(row),
    counter,
    environment: 'staging',
    role: 'api',
    allowBearer: true,
  });
const byToken = (scopes: string[], good = true, row: object = { allowed: 100 }): Guard =>
  requireToken({
    database: playDatabase(row),
    counter,
    rateLimits: createRateLimitCache(),
    verifier: {
      verify: async () =>
        good
          ? {
              clientId: 'c',
              tokenId: crypto.randomUUID(),
              tenantId: 't',
              scopes,
              plan: 'p',
              requestsPerMinute: 100,
              variant: 'a',
              expiresAt: new Date(),
            }
          : undefined,
    },
  });

interface Sending {
  /** Chunks after which the body ends. Default: it begins and never ends. */
  chunks?: number;
  callsExternalService?: boolean;
}

/** Sends a body. `read` is true if anything read from it. */
function send(guard: Guard | undefined, authorization?: string, { chunks, ...rule }: Sending = {}) {
  const app = createApp({
    ...{ name: 'x', errorFormat: activityErrorFormat, schemes: ['Bearer'], log: silentLogger },
    ...{ environment: 'staging' as const, addressHeader: '', unknownCallerRows: 1 },
    database: playDatabase(),
  });
  if (guard)
    app.post('/x', guard({ scopes: ['default:sync', 'read:leads'], reads: false, ...rule }), (c) =>
      c.text(''),
    );
  else {
    const dependencies = {
      database: playDatabase(),
      queue: { publish: async () => true, handOff: async () => true },
      functionsUrl: '',
    };
    app.post('/x', async (c) => {
      await readVerifiedBody(c, '/x', { ...dependencies, verify: async () => {} });
      return c.text('');
    });
  }
  const state = { read: false, chunksLeft: chunks, status: 0, answered: Promise.resolve() };
  const body = new ReadableStream(
    {
      pull(controller) {
        if (state.chunksLeft === 0) controller.close();
        else if (state.chunksLeft || !state.read) controller.enqueue(new TextEncoder().encode('{'));
        state.read = true;
        if (state.chunksLeft) state.chunksLeft--;
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'Content-Type': 'application/json', ...(authorization && { authorization }) };
  const request = new Request('http://localhost/x', {
    ...{ method: 'POST', headers, body },
    // Required by Node, and missing in the types of fetch.
    ...({ duplex: 'half' } as object),
  });
  state.answered = Promise.resolve(app.fetch(request)).then(({ status }) => {
    state.status = status;
  });
  return state;
}

describe('rejected without reading the body', () => {
  test.each<[string, number, Guard | undefined, string?]>([
    ['a message without the signature of QStash', 401, undefined],
    ['no key', 401, byKey(keyRow)],
    ['a key of the wrong form', 401, byKey(keyRow), 'Bearer sk_test_short'],
    ['a key that nobody has', 401, byKey(), `Bearer ${key}`],
    ['a key of the other environment', 401, byKey(keyRow), `Bearer ${key.replace('test', 'live')}`],
    ['a key that is revoked', 401, byKey({ ...keyRow, revoked: true }), `Bearer ${key}`],
    ['a timestamp of long ago', 401, byKey(keyRow), `SVC-SIGN-V1 ${key}:1700000000:${'0'.repeat(64)}`],
    ['no token', 401, byToken(['admin'])],
    ['a token that is not good', 401, byToken(['admin'], false), 'Bearer x'],
    ['a token without the scope', 403, byToken(['read:deals']), 'Bearer x'],
  ])('%s', async (_, status, guard, authorization) => {
    const state = send(guard, authorization);
    await vi.waitUntil(() => state.read || state.status > 0);
    expect([state.status, state.read]).toEqual([status, false]);
  });
});

test.each<[string, Guard, string]>([
  ['a good key', byKey(keyRow), `Bearer ${key}`],
  ['a good token', byToken(['read:leads']), 'Bearer x'],
])('%s: a stalled body returns 408 after a minute, and not sooner', async (_, guard, authorization) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const state = send(guard, authorization);
  await vi.waitUntil(() => state.read);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(state.status).toBe(0);
  await vi.advanceTimersByTimeAsync(1000);
  await state.answered;
  expect(state.status).toBe(408);
});

test.each<[string, Guard, string, Sending?]>([
  ['a key', byKey({ ...keyRow, moved_to: 'https://new.example.com' }), `Bearer ${key}`],
  ['a token', byToken(['read:leads'], true, MOVED), 'Bearer x', { callsExternalService: true }],
  ['a token without the scope', byToken(['read:deals'], true, MOVED), 'Bearer x'],
])(
  '%s of a tenant that has moved: 421 after the whole body',
  async (_, guard, authorization, sending = {}) => {
    const state = send(guard, authorization, { chunks: 3, ...sending });
    await state.answered;
    expect([state.status, state.chunksLeft]).toEqual([421, 0]);
  },
);
