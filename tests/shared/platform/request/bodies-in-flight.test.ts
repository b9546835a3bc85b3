// The memory limit for request bodies in flight, per tenant and in total.
import { expect, test } from 'vitest';
import { createBodiesInFlight } from '../../../../shared/platform/request/bodies-in-flight.ts';
import { readBody } from '../../../../shared/platform/request/body.ts';
import type { RequestContext } from '../../../../shared/platform/request/request-context.ts';

const KIB = 1024;

/** A request whose body the test sends in parts. */
function byHand() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(it) {
      controller = it;
    },
  });
  const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit);
  return {
    request,
    send: (bytes: number) => controller?.enqueue(new Uint8Array(bytes)),
    end: () => controller?.close(),
  };
}

/** Reads a body of this many bytes for a tenant. Returns the function that releases it. */
async function hold(bodies: ReturnType<typeof createBodiesInFlight>, tenantId: string, bytes: number) {
  const context: Pick<RequestContext, 'releaseBody'> = {};
  const { request, send, end } = byHand();
  send(bytes);
  end();
  try {
    await bodies.read(request, tenantId, context);
  } catch (error) {
    context.releaseBody?.();
    throw error;
  }
  return () => context.releaseBody?.();
}

test('a tenant has a limit until its requests are answered, without affecting others', async () => {
  const bodies = createBodiesInFlight({ tenant: 100 * KIB, worker: 1000 * KIB });
  const release = await hold(bodies, 'a', 60 * KIB);
  const beyond = { code: 'rate_limited', retryAfterSeconds: 1, reason: 'bodies_in_flight' };
  await expect(hold(bodies, 'a', 60 * KIB)).rejects.toMatchObject(beyond);
  await hold(bodies, 'b', 60 * KIB);
  release();
  await hold(bodies, 'a', 60 * KIB);
});

test('all tenants together have a limit', async () => {
  const bodies = createBodiesInFlight({ tenant: 100 * KIB, worker: 150 * KIB });
  const release = await hold(bodies, 'a', 90 * KIB);
  const beyond = { code: 'unavailable', retryAfterSeconds: 1, reason: 'bodies_in_flight' };
  await expect(hold(bodies, 'b', 90 * KIB)).rejects.toMatchObject(beyond);
  release();
  await hold(bodies, 'b', 90 * KIB);
});

test('a declared length counts immediately, so that of many bodies the first ones succeed', async () => {
  const bodies = createBodiesInFlight({ tenant: 100 * KIB, worker: 1000 * KIB });
  const declared = (bytes: number) => {
    const { request } = byHand();
    request.headers.set('content-length', String(bytes));
    return bodies.read(request, 'a', {});
  };
  const first = declared(60 * KIB);
  await expect(declared(60 * KIB)).rejects.toMatchObject({ code: 'rate_limited' });
  const late = Promise.race([first, Promise.resolve('still coming')]);
  expect(await late).toBe('still coming');
});

test('a stalled body counts by what arrived, in chunks of any size', async () => {
  const bodies = createBodiesInFlight({ tenant: 100 * KIB, worker: 1000 * KIB });
  const { request, send } = byHand();
  const reading = bodies.read(request, 'a', {});
  for (let i = 0; i < 1000; i++) send(1);
  await expect(reading).rejects.toMatchObject({ code: 'rate_limited' });
});

test('a long body that arrives too slowly is aborted; a short one has time', async () => {
  const limits = { deadlineMs: 60_000, minimumRate: { from: 10, bytes: 10, windowMs: 20 } };
  const long = byHand();
  long.send(11);
  const reading = readBody(long.request, limits);
  await expect(reading).rejects.toMatchObject({
    code: 'request_timeout',
    message: expect.stringContaining('too slowly'),
  });
  const short = byHand();
  short.send(10);
  await expect(readBody(short.request, { ...limits, deadlineMs: 100 })).rejects.toMatchObject({
    code: 'request_timeout',
    message: expect.stringContaining('within'),
  });
});
