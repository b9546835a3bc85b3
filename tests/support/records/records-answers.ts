// Properties of every response of records.
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { Reply } from '../gamification/sync.ts';
import { waitFor } from '../wait-for.ts';

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** Asserts the complete error. */
export function expectError(reply: Reply, status: number, code: string, fields: string[] = []): void {
  expect([reply.status, reply.body]).toEqual([
    status,
    {
      error: {
        code,
        message: expect.stringMatching(/\S/),
        details: fields.map((field) => ({ field, message: expect.stringMatching(/\S/) })),
        ...(status === 503 && { effect: expect.stringMatching(/^(none|unknown)$/) }),
      },
      meta: {
        request_id: reply.headers.get('x-request-id'),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    },
  ]);
  expect(reply.headers.get('content-type')).toBe('application/json');
}

interface ToldLimit {
  limit: number;
  remaining: number;
  /** Unix time. */
  reset: number;
}

/** The values of the three rate limit headers. Fails if one is missing. */
export function limitOf({ status, headers }: Reply): ToldLimit {
  const values = LIMIT_HEADERS.map((name) => headers.get(name));
  expect([status, values]).toEqual([status, LIMIT_HEADERS.map(() => expect.stringMatching(/^\d+$/))]);
  const [limit = 0, remaining = 0, reset = 0] = values.map(Number);
  expect(remaining).toBeLessThanOrEqual(limit);
  const inSeconds = reset - Date.now() / 1000;
  // The response may be some time ago.
  expect(inSeconds).toBeGreaterThan(-60);
  expect(inSeconds).toBeLessThanOrEqual(60);
  return { limit, remaining, reset };
}

/** Asserts that a response has no rate limit headers, because the caller is unknown. */
export function expectNoLimit({ headers }: Reply): void {
  expect(LIMIT_HEADERS.filter((name) => headers.has(name))).toEqual([]);
}

/** The log row of a request. */
export function logRow(sql: postgres.Sql, reply: Reply): Promise<postgres.Row> {
  const requestId = reply.headers.get('x-request-id');
  return waitFor(async () => {
    const [row, ...others] = await sql`
      select tenant_id, client_id, function, method, path, status, reason
      from admin.request_log where request_id = ${requestId}`;
    if (others.length > 0) throw new Error(`request ${requestId} is logged ${others.length + 1} times`);
    return row;
  });
}
