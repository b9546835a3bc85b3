// How many rows of the request log a caller may cause, and the summary rows that count the rest.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Counter } from '../../../../shared/platform/access/request-counter.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import type { RequestLogEntry } from '../../../../shared/platform/request-log/request-log.ts';
import { createRowBudget, type RowSubject } from '../../../../shared/platform/request-log/row-budget.ts';
import { createLogAggregator } from '../../../../shared/platform/request-log/summed-requests.ts';

afterEach(() => void vi.useRealTimers());

const budget = (unknownCallerRows: number, counter?: Counter) =>
  createRowBudget({ unknownCallerRows, counter, log: silentLogger });
const from = (address: string, count: number): RowSubject[] =>
  Array.from({ length: count }, () => ({ tenantId: undefined, address, status: 404 }));
const of = (tenantId: string, count: number): RowSubject[] =>
  Array.from({ length: count }, () => ({ tenantId, address: '192.0.2.1', status: 200 }));
const admitted = (all: boolean[]) => all.filter(Boolean).length;

describe('rows per minute', () => {
  test('each address has its own limit', async () => {
    const { admit } = budget(3);
    expect(await admit(from('192.0.2.1', 4))).toEqual([true, true, true, false]);
    expect(await admit([...from('192.0.2.1', 1), ...from('192.0.2.2', 1)])).toEqual([false, true]);
  });

  test('all addresses together have ten times the limit', async () => {
    const { admit } = budget(2);
    const causes = Array.from({ length: 50 }, (_, i) => from(`192.0.2.${i}`, 1)).flat();
    expect(admitted(await admit(causes))).toBe(20);
  });

  test('a tenant has 3000, regardless of its address, without affecting others', async () => {
    const { admit } = budget(1);
    expect(admitted(await admit(of('one', 3100)))).toBe(3000);
    expect(await admit([...of('other', 1), ...from('192.0.2.1', 1), ...of('one', 1)])).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('a rejected key or client has the limit of an address, without affecting its tenant', async () => {
    const { admit } = budget(3);
    const refused = (who: Partial<RowSubject>, status: number) =>
      of('one', 10).map((cause) => ({ ...cause, ...who, status }));
    expect(admitted(await admit(refused({ apiKeyId: 'revoked' }, 401)))).toBe(3);
    expect(admitted(await admit(refused({ clientId: 'without scope' }, 403)))).toBe(3);
    expect(admitted(await admit(refused({ apiKeyId: 'revoked' }, 404)))).toBe(10);
    expect(admitted(await admit(from('192.0.2.1', 4)))).toBe(3);
  });

  test('rows of other workers for an address count, and none do while Redis is unreachable', async () => {
    const asked: [string, number | undefined][] = [];
    let used: number | undefined = 4;
    const countMany: Counter['countMany'] = async (_limit, id, _log, requests) => {
      asked.push([id, requests]);
      if (used !== undefined) used += requests;
      return used === undefined ? undefined : { used, resetsAtMs: 0 };
    };
    const nothing = async () => undefined;
    const counter = { count: nothing, countMany, peek: nothing, uncount: nothing, ping: nothing };
    expect(await budget(5, counter).admit(from('192.0.2.1', 3))).toEqual([true, false, false]);
    expect(asked).toEqual([['192.0.2.1', 3]]);
    used = undefined;
    expect(await budget(5, counter).admit(from('192.0.2.1', 6))).toEqual([...Array(5).fill(true), false]);
  });

  test('the next minute starts from zero', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { admit } = budget(1);
    vi.advanceTimersByTime(1);
    expect(await admit(from('192.0.2.1', 2))).toEqual([true, false]);
    vi.advanceTimersByTime(59_000);
    expect(await admit(from('192.0.2.1', 1))).toEqual([false]);
    vi.advanceTimersByTime(2000);
    expect(await admit(from('192.0.2.1', 1))).toEqual([true]);
  });
});

describe('aggregated rows', () => {
  const entry = (more: Partial<RequestLogEntry>): RequestLogEntry => ({
    ...{ requestId: 'r', tenantId: undefined, apiKeyId: 'k', clientId: 'c', address: '192.0.2.1' },
    ...{
      service: 'v1',
      method: 'GET',
      path: '/v1/x',
      status: 404,
      reason: 'not_found',
      elapsedMs: 5,
      ...more,
    },
  });

  test('have one kind each, and identify no caller except its tenant', () => {
    const sums = createLogAggregator();
    expect(sums.add(entry({ route: '/v1/:id', path: '/v1/secret' }))).toBe(true);
    for (const one of [entry({ route: '/v1/:id' }), entry({ status: 401 }), entry({ tenantId: 't' })])
      expect(sums.add(one)).toBe(false);
    const none = { apiKeyId: undefined, clientId: undefined, address: undefined, requestId: 'sum' };
    expect(sums.take()).toEqual([
      { requests: 2, entry: expect.objectContaining({ ...none, path: '/v1/:id', status: 404 }) },
      { requests: 1, entry: expect.objectContaining({ ...none, status: 401 }) },
      { requests: 1, entry: expect.objectContaining({ ...none, tenantId: 't' }) },
    ]);
    expect(sums.take()).toEqual([]);
    expect(sums.add(entry({}))).toBe(true);
  });

  test('are limited to two hundred, and one for all further kinds', () => {
    const sums = createLogAggregator();
    for (let i = 0; i < 250; i++) sums.add(entry({ path: `/v1/${i}` }));
    sums.add(entry({ path: '/v1/0' }));
    const all = sums.take();
    expect(all).toHaveLength(201);
    expect(all[0]?.requests).toBe(2);
    expect(all.at(-1)).toMatchObject({ requests: 50, entry: { path: 'others', status: 0 } });
  });
});
