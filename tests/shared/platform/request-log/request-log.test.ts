// The maximum size of a request log row, for any request. Uses a fake database.
import { expect, test, vi } from 'vitest';
import type { Database, Sql } from '../../../../shared/platform/db/database.ts';
import { createApp } from '../../../../shared/platform/http/app.ts';
import { type LogFields, type Logger, silentLogger } from '../../../../shared/platform/logger.ts';
import { activityErrorFormat } from '../../../../shared/platform/request/error-formats.ts';
import {
  createRequestLog,
  insertRequestLog,
  type RequestLogEntry,
} from '../../../../shared/platform/request-log/request-log.ts';
import type { Json } from '../../../support/gamification/sync.ts';

/** Records the values of each statement. */
function playDatabase() {
  const sent: unknown[][] = [];
  const sql = ((_: TemplateStringsArray, ...values: unknown[]) => sent.push(values)) as unknown as Sql;
  const database = {
    transaction: async (_: unknown, build: (sql: Sql) => unknown[]) => build(sql),
  } as unknown as Database;
  const rows = (): Json[] => sent.flatMap(([json]) => JSON.parse(String(json)));
  return { database, sql, sent, rows };
}

const entry = (more: Partial<RequestLogEntry>): RequestLogEntry => ({
  ...{ requestId: 'r', tenantId: undefined, apiKeyId: undefined, clientId: undefined, address: undefined },
  ...{ service: 'v1', method: 'GET', path: '/', status: 404, reason: undefined, elapsedMs: 1, ...more },
});

test('paths, patterns and methods are truncated', async () => {
  const { database, rows } = playDatabase();
  const record = createRequestLog({ database, log: silentLogger, unknownCallerRows: 10 });
  record(entry({ method: 'X'.repeat(50), path: '/'.repeat(5000), route: '/'.repeat(5000) }));
  await vi.waitUntil(() => rows().length === 1);
  const [{ method, path, route }] = rows();
  expect([method.length, path.length, route.length]).toEqual([16, 512, 128]);
});

test('so is the path of a row that is written with its work', () => {
  const { sql, sent } = playDatabase();
  insertRequestLog(sql, entry({ path: '/'.repeat(5000) }));
  expect(sent.flat().map((value) => String(value ?? '').length)).toContain(512);
  expect(Math.max(...sent.flat().map((value) => String(value ?? '').length))).toBe(512);
});

test('at most twenty query names, each truncated, without characters that Postgres cannot store; log lines have the pattern', async () => {
  const { database, rows } = playDatabase();
  const lines: LogFields[] = [];
  const log: Logger = {
    ...silentLogger,
    info: (_, fields) => void (fields && lines.push(fields)),
    with: () => log,
  };
  const app = createApp({
    ...{ name: 'x', errorFormat: activityErrorFormat, schemes: ['Bearer'], database, log },
    ...{ environment: 'staging' as const, addressHeader: '', unknownCallerRows: 10 },
  });
  const names = ['a%00b', 'x'.repeat(300), ...Array.from({ length: 50 }, (_, i) => `n${i}`)];
  await app.request(`/x/secret?${names.join('=1&')}=1`);
  await vi.waitUntil(() => rows().length === 1);
  const [{ query, route }] = rows();
  expect(route).toBe('unknown route');
  expect(query).toEqual(['ab', 'x'.repeat(64), ...Array.from({ length: 18 }, (_, i) => `n${i}`)]);
  expect(lines).toMatchObject([{ path: 'unknown route', status: 404 }]);
});

test.each([
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['a b', false],
  ['é', false],
])('a request id of the caller: %.20s', async (id, kept) => {
  const { database } = playDatabase();
  const app = createApp({
    ...{ name: 'x', errorFormat: activityErrorFormat, schemes: ['Bearer'], database, log: silentLogger },
    ...{ environment: 'staging' as const, addressHeader: '', unknownCallerRows: 10 },
  });
  const { headers } = await app.request('/x/health/none', { headers: { 'X-Request-Id': id } });
  expect(headers.get('x-request-id') === id).toBe(kept);
});
