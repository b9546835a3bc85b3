// Who gets the next connection.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createConnectionQueue, type Requester } from '../../../../shared/platform/db/connection-queue.ts';

const WAIT_MS = 1000;
const CONNECTIONS = 4;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue for this number of connections, and the outcome of each requester by name. */
function startQueue({ connections = CONNECTIONS, perTenant = 2 } = {}) {
  const queue = createConnectionQueue<string>({ perTenant, waitMs: WAIT_MS });
  const outcomes: Record<string, string> = {};
  let free = connections;
  const serve = () => {
    while (free > 0 && queue.serve(() => 'connection')) free--;
  };
  const join = (name: string, requester: Partial<Requester> = {}) => {
    const whole = { tenantId: name.split('-')[0] ?? '', hasWritten: false, ...requester };
    const { connection, cancel } = queue.join(whole);
    connection.then(
      () => Object.assign(outcomes, { [name]: 'served' }),
      (error) => Object.assign(outcomes, { [name]: error }),
    );
    serve();
    return {
      cancel,
      free() {
        queue.release(whole);
        free++;
        serve();
      },
    };
  };
  const served = async () => {
    await vi.advanceTimersByTimeAsync(0);
    return Object.keys(outcomes).filter((name) => outcomes[name] === 'served');
  };
  return { join, served, outcomes };
}

describe('a tenant', () => {
  test('gets its share at a time, and the others the rest', async () => {
    const { join, served } = startQueue();
    const noisy = Array.from({ length: 60 }, (_, i) => join(`noisy-${i}`));
    join('quiet');
    expect(await served()).toEqual(['noisy-0', 'noisy-1', 'quiet']);
    noisy[0]?.free();
    noisy[1]?.free();
    expect((await served()).slice(3)).toEqual(['noisy-2', 'noisy-3']);
  });

  test('gets 429 with Retry-After if it waits too long for its share', async () => {
    const { join, outcomes } = startQueue({ perTenant: 1 });
    join('noisy-0');
    join('noisy-1');
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    expect(outcomes['noisy-1']).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(outcomes['noisy-1']).toMatchObject({
      code: 'rate_limited',
      reason: 'too_many_at_once',
      retryAfterSeconds: 2,
      message: expect.stringContaining('Nothing was done'),
    });
  });

  test('is rejected immediately if very many of its requests wait', async () => {
    const { join, outcomes } = startQueue({ perTenant: 1 });
    for (let i = 0; i <= 501; i++) join(`noisy-${i}`);
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes).toEqual({ 'noisy-0': 'served', 'noisy-501': expect.any(Error) });
  });

  test('is not rejected after it has written, and then goes before the others', async () => {
    const { join, served, outcomes } = startQueue({ perTenant: 1 });
    const first = join('noisy-0');
    const begun = join('noisy-1', { hasWritten: true });
    await vi.advanceTimersByTimeAsync(10 * WAIT_MS);
    expect(outcomes['noisy-1']).toBeUndefined();
    join('noisy-2');
    join('noisy-3', { hasWritten: true });
    first.free();
    expect(await served()).toEqual(['noisy-0', 'noisy-1']);
    begun.free();
    expect((await served()).slice(2)).toEqual(['noisy-3']);
  });

  test('is not rejected if others use all connections', async () => {
    const { join, served, outcomes } = startQueue();
    const [one] = ['a-0', 'a-1', 'b-0', 'b-1'].map((name) => join(name));
    join('quiet');
    await vi.advanceTimersByTimeAsync(10 * WAIT_MS);
    expect(outcomes.quiet).toBeUndefined();
    one?.free();
    expect(await served()).toContain('quiet');
  });
});

test('fewest connections first; ties go to the longest waiting', async () => {
  const { join, served } = startQueue({ connections: 3 });
  const held = ['a-0', 'a-1', 'b-0'].map((name) => join(name));
  for (const name of ['b-1', 'a-2', 'c-0', 'd-0']) join(name);
  for (const one of held.slice(0, 2)) one.free();
  expect((await served()).slice(3)).toEqual(['c-0', 'a-2']);
  held[2]?.free();
  expect((await served()).slice(5)).toEqual(['b-1']);
});

test('requests without a tenant are limited only by the connections, and never rejected', async () => {
  const { join, served, outcomes } = startQueue();
  for (let i = 0; i <= CONNECTIONS; i++) join(`job-${i}`, { tenantId: null });
  await vi.advanceTimersByTimeAsync(10 * WAIT_MS);
  expect(await served()).toHaveLength(CONNECTIONS);
  expect(outcomes[`job-${CONNECTIONS}`]).toBeUndefined();
});

test('a canceled requester is not served', async () => {
  const { join, served, outcomes } = startQueue({ perTenant: 1 });
  const first = join('noisy-0');
  join('noisy-1').cancel(new Error('too late'));
  join('noisy-2');
  first.free();
  expect(await served()).toEqual(['noisy-0', 'noisy-2']);
  expect(outcomes['noisy-1']).toMatchObject({ message: 'too late' });
});
