import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';
import { createRedisServer } from 'js-redis-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedisRest } from '../../local/emulators/redis/index.ts';

const TOKEN = 'token-of-the-test';

interface Backend {
  redisUrl?: string;
  stop(): Promise<unknown>;
}

const startNothing = async (): Promise<Backend> => ({ stop: async () => {} });

async function startOverTcp(): Promise<Backend> {
  const server = await createRedisServer({});
  return { redisUrl: `redis://127.0.0.1:${server.port}`, stop: () => server.close() };
}

async function startRealRedis(): Promise<Backend> {
  const dir = await mkdtemp(join(tmpdir(), 'redis-test-'));
  const port = await freePort();
  const args = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', dir, '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', args);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('redis-server stopped')));
    child.stdout.on('data', (text) => `${text}`.includes('eady to accept connections') && resolve());
  });
  return {
    redisUrl: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      await exited;
      await rm(dir, { recursive: true });
    },
  };
}

/** By default answers OK to whatever it is sent; stopping it breaks its connections. */
async function startStub(
  port = 0,
  onData = (socket: Socket): unknown => socket.write('+OK\r\n'),
): Promise<{ port: number; stop(): Promise<unknown> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', () => onData(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function freePort(): Promise<number> {
  const stub = await startStub();
  await stub.stop();
  return stub.port;
}

const backends: [name: string, start: () => Promise<Backend>][] = [
  ['in process', startNothing],
  ['over TCP', startOverTcp],
];
if (spawnSync('redis-server', ['--version']).status === 0) backends.push(['real Redis', startRealRedis]);

describe.each(backends)('the Redis REST front, %s', (_, start) => {
  let backend: Backend;
  let front: Awaited<ReturnType<typeof startRedisRest>>;
  let redis: Redis;

  beforeAll(async () => {
    backend = await start();
    front = await startRedisRest({
      token: TOKEN,
      ...(backend.redisUrl ? { redisUrl: backend.redisUrl } : {}),
    });
    redis = new Redis({ url: front.url, token: TOKEN });
  });
  afterAll(async () => {
    await front.close();
    await backend.stop();
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${front.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body: JSON.stringify(body),
    });

  const limiter = (algorithm: ConstructorParameters<typeof Ratelimit>[0]['limiter'], dynamicLimits = false) =>
    new Ratelimit({ redis, limiter: algorithm, prefix: randomUUID(), ephemeralCache: false, dynamicLimits });

  test('values of every kind come back as they were', async () => {
    const key = randomUUID();
    expect(await redis.set(key, { name: 'Ação é 日本 🎯' })).toBe('OK');
    expect(await redis.get(key)).toEqual({ name: 'Ação é 日本 🎯' });
    expect(await redis.get(randomUUID())).toBeNull();
    expect(await redis.hset(`${key}:h`, { a: 1, é: 'ü' })).toBe(2);
    expect(await redis.hgetall(`${key}:h`)).toEqual({ a: 1, é: 'ü' });
    await redis.rpush(`${key}:l`, 'OK', 'ã');
    expect(await redis.lrange(`${key}:l`, 0, -1)).toEqual(['OK', 'ã']);
    await redis.zadd(`${key}:z`, { score: 1.5, member: 'm' });
    expect(await redis.zrange(`${key}:z`, 0, -1, { withScores: true })).toEqual(['m', 1.5]);
    expect(await redis.eval('return {1, {"dois", {3}}, false}', [], [])).toEqual([1, ['dois', [3]], null]);
    expect(await redis.incrby(`${key}:n`, 7)).toBe(7);
    await redis.set(`${key}:big`, '9007199254740992');
    expect(await redis.incr(`${key}:big`)).toBe('9007199254740993');
    expect(await redis.ping()).toBe('PONG');
  });

  test('strings are base64 only when asked for, and "OK" never is', async () => {
    const key = randomUUID();
    expect(await (await post('/', ['SET', key, 'ação'])).json()).toEqual({ result: 'OK' });
    expect(await (await post('/', ['GET', key])).json()).toEqual({ result: 'ação' });
    const encoded = await post('/', ['GET', key], { 'upstash-encoding': 'base64' });
    expect(await encoded.json()).toEqual({ result: Buffer.from('ação').toString('base64') });
    const set = await post('/', ['SET', key, 1], { 'upstash-encoding': 'base64' });
    expect(await set.json()).toEqual({ result: 'OK' });
  });

  test('a sync token is handed out and returned', async () => {
    const first = await post('/', ['PING']);
    const token = first.headers.get('upstash-sync-token') ?? '';
    expect(token).not.toBe('');
    const second = await post('/', ['PING'], { 'upstash-sync-token': token });
    expect(second.headers.get('upstash-sync-token')).toBe(token);
  });

  test('a wrong or missing token is 401', async () => {
    const stranger = new Redis({ url: front.url, token: 'wrong', retry: false });
    await expect(stranger.get('key')).rejects.toThrow('Unauthorized');
    const missing = await fetch(front.url, { method: 'POST', body: '["PING"]' });
    expect(missing.status).toBe(401);
    expect(await missing.json()).toEqual({ error: 'Unauthorized' });
  });

  test('a command error is 400, and stands at its item in a pipeline', async () => {
    const key = randomUUID();
    const alone = await post('/', ['NOSUCHCOMMAND']);
    expect(alone.status).toBe(400);
    expect(await alone.json()).toEqual({ error: expect.stringMatching(/^ERR unknown command/i) });

    const response = await post('/pipeline', [
      ['SET', key, 'text'],
      ['INCR', key],
      ['SUBSCRIBE', 'channel'],
      ['GET', key],
    ]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([
      { result: 'OK' },
      { error: expect.stringContaining('not an integer') },
      { error: expect.stringContaining('not available') },
      { result: 'text' },
    ]);
  });

  test.each([
    ['not JSON', '/', '{'],
    ['no command', '/', '[]'],
    ['no array', '/pipeline', '{"a":1}'],
    ['a flat pipeline', '/pipeline', '["GET","a"]'],
  ])('%s is 400', async (_name, path, body) => {
    const response = await fetch(front.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/^ERR /) });
  });

  test('automatic pipelining gives each caller its own answer', async () => {
    const prefix = randomUUID();
    const numbers = Array.from({ length: 200 }, (_unused, index) => index);
    await Promise.all(numbers.map((number) => redis.set(`${prefix}:${number}`, number)));
    const read = await Promise.all(numbers.map((number) => redis.get(`${prefix}:${number}`)));
    expect(read).toEqual(numbers);
  });

  test('a transaction is not interleaved with other callers, and is discarded whole', async () => {
    const key = randomUUID();
    const transactions = Array.from({ length: 20 }, () =>
      redis.multi().incr(key).incr(key).get<number>(key).exec(),
    );
    for (const [first, second, read] of await Promise.all(transactions)) {
      expect(second).toBe(first + 1);
      expect(read).toBe(second);
    }
    const refused = await post('/multi-exec', [['INCR', key], ['NOSUCHCOMMAND']]);
    expect(refused.status).toBe(400);
    expect(await redis.get(key)).toBe(40);
  });

  test('a script with the Upstash line runs by its own SHA-1, once it was seen', async () => {
    const script = `#!lua flags=allow-key-locking\nreturn "${randomUUID()}"`;
    const sha = createHash('sha1').update(script).digest('hex');
    await expect(redis.evalsha(sha, [], [])).rejects.toThrow('NOSCRIPT');
    const value = await redis.eval(script, [], []);
    expect(await redis.evalsha(sha, [], [])).toBe(value);
    expect(await redis.scriptExists(sha)).toEqual([1]);
    await redis.scriptFlush();
    await expect(redis.evalsha(sha, [], [])).rejects.toThrow('NOSCRIPT');
  });

  test.each([
    ['fixed window', Ratelimit.fixedWindow(3, '1 h')],
    ['sliding window', Ratelimit.slidingWindow(3, '1 h')],
    ['token bucket', Ratelimit.tokenBucket(3, '1 h', 3)],
  ])('%s lets its number through and no more', async (_name, algorithm) => {
    const limit = limiter(algorithm);
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => limit.limit('caller')));
    expect(results.map((result) => result.success)).toEqual([true, true, true, false, false]);
    expect(results.every((result) => result.limit === 3 && result.reset > Date.now())).toBe(true);
    expect((await limit.getRemaining('caller')).remaining).toBe(0);
    expect((await limit.getRemaining('other')).remaining).toBe(3);
  });

  test('a negative rate gives back what was taken', async () => {
    const limit = limiter(Ratelimit.slidingWindow(5, '1 h'));
    await limit.limit('caller', { rate: 4 });
    expect((await limit.getRemaining('caller')).remaining).toBe(1);
    await limit.limit('caller', { rate: -3 });
    expect((await limit.getRemaining('caller')).remaining).toBe(4);
  });

  test('a dynamic limit overrides the static one', async () => {
    const limit = limiter(Ratelimit.fixedWindow(100, '1 h'), true);
    await limit.setDynamicLimit({ limit: 2 });
    const results = await Promise.all([1, 2, 3].map(() => limit.limit('caller')));
    expect(results.map(({ success, limit: most }) => [success, most])).toEqual([
      [true, 2],
      [true, 2],
      [false, 2],
    ]);
    expect(await limit.getDynamicLimit()).toEqual({ dynamicLimit: 2 });
  });
});

test('answers are 503 while the Redis is away, and it connects again', async () => {
  const first = await startStub();
  const front = await startRedisRest({ token: TOKEN, redisUrl: `redis://127.0.0.1:${first.port}` });
  const redis = new Redis({ url: front.url, token: TOKEN, retry: false });
  expect(await redis.set('key', 1)).toBe('OK');

  await first.stop();
  const response = await fetch(front.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: '["GET","key"]',
  });
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ error: expect.stringContaining('Redis') });

  const second = await startStub(first.port);
  expect(await redis.set('key', 2)).toBe('OK');
  await front.close();
  await second.stop();
});

test('a command in flight when the connection breaks is answered 503', async () => {
  const breaking = await startStub(0, (socket) => socket.destroy());
  const front = await startRedisRest({ token: TOKEN, redisUrl: `redis://127.0.0.1:${breaking.port}` });
  const response = await fetch(`${front.url}/pipeline`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: '[["GET","a"],["GET","b"]]',
  });
  expect(response.status).toBe(503);
  await front.close();
  await breaking.stop();
});

test('a taken port is an error', async () => {
  const front = await startRedisRest({ token: TOKEN });
  await expect(startRedisRest({ token: TOKEN, port: Number(new URL(front.url).port) })).rejects.toThrow(
    'EADDRINUSE',
  );
  await front.close();
});
