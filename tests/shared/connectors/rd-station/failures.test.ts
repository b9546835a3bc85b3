// Limits, failures and unexpected answers of RD Station CRM.
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RdStation, startRdStation } from '../../../../local/crms/rd-station/index.ts';
import { serveHttp } from '../../../../local/http-server.ts';
import { rdStationCrm } from '../../../../shared/connectors/crms/rd-station/adapter.ts';
import { rdStation } from '../../../../shared/connectors/crms/rd-station/index.ts';
import { connectAccount, optionsFor } from './account.ts';

let rd: RdStation;
beforeAll(async () => {
  rd = await startRdStation();
});
afterAll(() => rd.stop());

/** A connection to a server that gives this answer to every request. */
async function connectTo(answer: RequestListener) {
  const server = await serveHttp(answer);
  onTestFinished(() => server.close());
  return rdStationCrm.connect(optionsFor(server.url));
}
const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, outgoing) => {
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const START = { since: null, cursor: null };

test('at most 60 % of the 120 requests a minute are sent', () => {
  expect(60_000 / rdStation.pacing.intervalMs).toBeLessThanOrEqual(72);
});

describe('too many requests', () => {
  test('wait as long as RD says', async () => {
    const { connection } = await connectAccount(rd, {}, { options: { requestsPerMinute: 1 } });
    const error = await connection.inspect().catch((thrown) => thrown);
    expect(error.name).toBe('CrmBusy');
    expect(error.retryAfterSeconds).toBeGreaterThan(50);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  test('without a time, too', async () => {
    const connection = await connectTo(answering(429, { errors: [] }));
    await expect(connection.list('deal', START)).rejects.toMatchObject({
      ...{ name: 'CrmBusy', retryAfterSeconds: undefined },
    });
  });
});

test.each([401, 403])('status %d is rejected credentials', async (status) => {
  const connection = await connectTo(answering(status, { errors: [{ detail: 'no' }] }));
  await expect(connection.list('lead', START)).rejects.toMatchObject({
    name: 'CrmCredentialsRejected',
  });
});

describe('unreachable is', () => {
  test.each(['error_before', 'cut_before', 'cut_after'] as const)('a read after %s', async (kind) => {
    const { id, connection } = await connectAccount(rd);
    await rd.control.fault({ kind, status: 502, account: id, path: '/crm/v2/*' });
    await expect(connection.list('lead', START)).rejects.toMatchObject({ name: 'CrmUnreachable' });
  });

  test('a write after a lost response, although it was done', async () => {
    const { id, connection } = await connectAccount(rd);
    const { id: deal } = await rd.control.add(id, 'deals', { name: 'Before' });
    await rd.control.fault({ kind: 'error_after', status: 500, method: 'PUT', account: id });
    await expect(connection.update('deal', deal, { name: 'After' })).rejects.toMatchObject({
      name: 'CrmUnreachable',
    });
    expect((await rd.control.record(id, 'deals', deal)).name).toBe('After');
  });

  const record = { id: 'r', updated_at: '2026-11-27T00:00:00Z', created_at: '2026-11-27T00:00:00Z' };
  test.each([
    ['no envelope', []],
    ['no list', { data: {} }],
    ['a record without an id', { data: [{ ...record, id: undefined }] }],
    ['a record without a time', { data: [{ ...record, updated_at: null }] }],
    ['a time that is none', { data: [{ ...record, updated_at: 'yesterday' }] }],
    ['an amount that is none', { data: [{ ...record, status: 'won', total_price: 'much' }] }],
    ['no status', { data: [record] }],
  ])('a list of deals with %s', async (_, body) => {
    const connection = await connectTo(answering(200, body));
    await expect(connection.list('deal', START)).rejects.toMatchObject({
      name: 'CrmUnreachable',
      message: expect.stringContaining('unexpected format'),
    });
  });

  test.each([400, 404, 422])('a list with status %d', async (status) => {
    const connection = await connectTo(answering(status, { errors: [{ detail: 'not sortable' }] }));
    await expect(connection.list('deal', START)).rejects.toMatchObject({
      name: 'CrmUnreachable',
      message: expect.stringContaining('not sortable'),
    });
  });

  test('an account without users', async () => {
    const connection = await connectTo(answering(200, { data: [] }));
    await expect(connection.inspect()).rejects.toMatchObject({ name: 'CrmUnreachable' });
  });
});

test('amounts that are texts, ids that are numbers, other members and absent ones are accepted', async () => {
  const deal = {
    ...{ id: '9007199254740993123', status: 'ongoing', total_price: '1250.50', contact_ids: [17] },
    ...{ updated_at: '2026-11-27T10:00:00.5-03:00', new_member: { of: ['RD'] } },
  };
  const body = JSON.stringify({ data: [deal] }).replace('"9007199254740993123"', '9007199254740993123');
  const connection = await connectTo(answering(200, body));
  const { records, next } = await connection.list('deal', START);
  expect(next).toBeNull();
  expect(records).toMatchObject([
    {
      id: '9007199254740993123',
      updatedAt: '2026-11-27T13:00:00.500Z',
      values: { value: 1250.5, contact: '17', name: null, stage: null, owner: null, status: 'open' },
    },
  ]);
});

test('an account with more than 100 users, whose order differs from page to page, has all of them', async () => {
  const users = Array.from({ length: 230 }, (_, index) => ({
    name: `No. ${index}`,
    email: `user${index}@example.com`,
  }));
  const { connection } = await connectAccount(
    rd,
    {},
    { users, options: { requestsPerMinute: 10_000 }, pipelines: [] },
  );
  const inspection = await connection.inspect();
  expect(new Set(inspection.users.map(({ email }) => email)).size).toBe(230);
});
