// Guessing credentials is limited per client id and per IP address, also while Redis or the database is unavailable. The functions are
// called without the gateway, so that each test can use its own IP addresses.
import { expect, inject, test } from 'vitest';
import { limits } from '../../../shared/platform/access/request-counter.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { proxyBefore, startOwnFunction } from '../../support/functions.ts';
import { expectUntilWindowEnds, untilMinuteHas } from '../../support/limits/windows.ts';
import { basic, type Client, createOAuthClient, grant, requestToken } from '../../support/oauth.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startWires } from '../../support/wire/network-waits.ts';

const sql = connectDatabase();
const newClient = async () => createOAuthClient(sql, (await createTenant(sql)).id);
const perClient = limits.tokenClient.max;
const perAddress = limits.tokenAddress.max;

const randomAddress = () => `2001:db8::${crypto.randomUUID().slice(0, 4)}:${crypto.randomUUID().slice(0, 4)}`;

const farFromTheEnd = () => untilMinuteHas(12);

async function startOwn(env?: Record<string, string>) {
  const { baseUrl, lines } = await startOwnFunction('oauth', env);
  const ask = (client: Partial<Client>, address = '', headers: Record<string, string> = {}) =>
    requestToken(grant(client), {
      baseUrl,
      headers: { ...(address && { 'CF-Connecting-IP': address }), ...headers },
    });
  const statuses = async (count: number, client: (i: number) => Client, address: string) => {
    const replies = await Promise.all(Array.from({ length: count }, (_, i) => ask(client(i), address)));
    return replies.map(({ status }) => status).sort();
  };
  return { ask, statuses, lines };
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status);

test('ten failures of a client id and address, then 429 for any secret; others are served', async () => {
  await farFromTheEnd();
  const { ask } = await startOwn();
  const [own, other] = [await newClient(), await newClient()];
  const [here, elsewhere] = [randomAddress(), randomAddress()];
  for (let i = 0; i < perClient; i++) {
    const wrong = { ...own, client_secret: `wrong ${i}` };
    // Successful requests in between are not counted and do not reset the counter.
    expect((await ask(own, here)).status).toBe(200);
    expect((await ask(wrong, here)).status).toBe(401);
  }
  const requestId = crypto.randomUUID();
  for (const client of [own, { ...own, client_secret: 'wrong' }]) {
    const sentAtMs = Date.now();
    const { status, body, headers } = await ask(client, here, { 'X-Request-Id': requestId });
    expect([status, body.error]).toEqual([429, 'temporarily_unavailable']);
    expectUntilWindowEnds(Number(headers.get('retry-after')), 60, sentAtMs);
    expect(headers.get('cache-control')).toBe('no-store');
  }
  const asBasic = await ask({}, here, basic(own.client_id, own.client_secret));
  expect([asBasic.status, asBasic.headers.get('www-authenticate')]).toEqual([429, null]);
  const rows = () => sql`select reason, client_id from request_log where request_id = ${requestId}`;
  await waitFor(async () => (await rows()).length === 2);
  const expected = { reason: 'rate_limited', client_id: own.client_id };
  expect([...(await rows())]).toEqual([expected, expected]);

  expect((await ask(own, elsewhere)).status).toBe(200);
  expect((await ask(other, here)).status).toBe(200);
});

test('of concurrent failures, no more than ten reveal their result', async () => {
  await farFromTheEnd();
  const { statuses } = await startOwn();
  const own = await newClient();
  const wrong = { ...own, client_secret: 'wrong' };
  expect(await statuses(40, () => wrong, randomAddress())).toEqual([
    ...times(perClient, 401),
    ...times(40 - perClient, 429),
  ]);
});

test('a hundred failures from one address with any client ids, then 429 for it', async () => {
  await farFromTheEnd();
  const { ask, statuses } = await startOwn();
  const [own, here] = [await newClient(), randomAddress()];
  const unknown = (i: number) => ({ client_id: `client_${i}`, client_secret: 'x' });
  expect(await statuses(perAddress, unknown, here)).toEqual(times(perAddress, 401));
  expect((await ask(own, here)).status).toBe(429);
  expect((await ask(own, randomAddress())).status).toBe(200);
});

test('impossible ids count as well, and so do callers without a known address', async () => {
  await farFromTheEnd();
  const { statuses } = await startOwn();
  const impossible = (i: number) => ({ client_id: `\u0000${'x'.repeat(200 + i)}`, client_secret: 'x' });
  expect(await statuses(perClient + 3, impossible, randomAddress())).toEqual([
    ...times(perClient, 401),
    ...times(3, 429),
  ]);
  const own = await newClient();
  const wrong = { ...own, client_secret: 'wrong' };
  expect(await statuses(perClient + 3, () => wrong, '')).toEqual([
    ...times(perClient, 401),
    ...times(3, 429),
  ]);
});

test('failures before the comparison of a secret are not counted', async () => {
  await farFromTheEnd();
  const { ask } = await startOwn();
  const [own, here] = [await newClient(), randomAddress()];
  for (let i = 0; i < perClient + 1; i++) {
    expect((await ask({ client_id: own.client_id }, here)).status).toBe(401);
    const { status } = await ask({ ...own, scope: 'none' } as Client, here);
    expect(status).toBe(400);
  }
  expect((await ask(own, here)).status).toBe(200);
});

test.each(['cut', 'freeze'] as const)(
  'Redis unreachable (%s): served uncounted, with a warning',
  async (fault) => {
    const { proxy, url } = await proxyBefore(inject('env').UPSTASH_REDIS_REST_URL ?? '');
    const { ask, lines } = await startOwn({ UPSTASH_REDIS_REST_URL: url, REDIS_TIMEOUT_MS: '250' });
    const [own, here] = [await newClient(), randomAddress()];
    proxy[fault]();
    const wrong = { ...own, client_secret: 'wrong' };
    for (let i = 0; i < perClient + 1; i++) expect((await ask(wrong, here)).status).toBe(401);
    expect((await ask(own, here)).status).toBe(200);
    expect(lines.some((line) => line.includes('request not counted'))).toBe(true);
  },
);

test('database unreachable: 503 with Retry-After, and tokens again when it is back', async () => {
  const { proxy, url } = await proxyBefore(inject('env').SUPABASE_DB_URL ?? '');
  const { ask } = await startOwn({ SUPABASE_DB_URL: url });
  const [own, here] = [await newClient(), randomAddress()];
  expect((await ask(own, here)).status).toBe(200);
  proxy.cut();
  const { status, body, headers } = await ask(own, here);
  expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  proxy.restore();
  await waitFor(async () => (await ask(own, here)).status === 200);
});

test('a token waits once on the network: the database, with Redis in parallel', async () => {
  const wires = await startWires();
  const { ask } = await startOwn(wires.env);
  const [own, here] = [await newClient(), randomAddress()];
  const logged = async (count: number) =>
    (await sql`select from request_log where client_id = ${own.client_id}`).length === count;
  for (let i = 1; i <= 4; i++) {
    expect((await ask(own, here)).status).toBe(200);
    // The connection is in use until the request is logged.
    await waitFor(() => logged(i));
  }
  const counted = await wires.count(
    1,
    () => ask(own, here),
    () => waitFor(() => logged(5)),
  );
  // The log row is written after the response.
  expect([counted.reply.status, counted.database, counted.redis]).toEqual([200, 2, 1]);
});
