import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis } from '../../local/emulators/redis/index.ts';
import { claimPort, listen } from '../../local/ports.ts';
import { waitFor } from '../support/wait-for.ts';
import { startRespServer } from '../support/wire/resp-server.ts';

const TOKEN = 'token-of-the-test';

interface Backend {
  redisUrl?: string;
  stop(): Promise<unknown>;
}

const startNothing = async (): Promise<Backend> => ({ stop: async () => {} });

async function startOverTcp(): Promise<Backend> {
  const { port, stop } = await startRespServer();
  return { redisUrl: `redis://127.0.0.1:${port}`, stop };
}

async function startRealRedis(): Promise<Backend> {
  const dir = await mkdtemp(join(tmpdir(), 'redis-test-'));
  const port = await claimPort();
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

/** Responds OK to every command by default; stopping it breaks its connections. */
async function startStub(
  port = 0,
  onData = (socket: Socket): unknown => socket.write('+OK\r\n'),
): Promise<{ port: number; stop(): Promise<unknown> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', () => onData(socket));
  });
  return {
    port: await listen(server, { port }),
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const backends: [name: string, start: () => Promise<Backend>][] = [
  ['in process', startNothing],
  ['over TCP', startOverTcp],
];
if (spawnSync('redis-server', ['--version']).status === 0) backends.push(['real Redis', startRealRedis]);

describe.each(backends)('the emulator of Upstash Redis, %s', (_, start) => {
  let backend: Backend;
  let emulator: Awaited<ReturnType<typeof startRedis>>;
  let redis: Redis;

  beforeAll(async () => {
    backend = await start();
    emulator = await startRedis({ token: TOKEN, redisUrl: backend.redisUrl });
    redis = new Redis({ url: emulator.url, token: TOKEN });
  });
  afterAll(async () => {
    await emulator.close();
    await backend.stop();
  });

  const post = (commands: unknown, headers: Record<string, string> = {}) =>
    fetch(`${emulator.url}/pipeline`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body: JSON.stringify(commands),
    });

  const limiter = (max: number) =>
    new Ratelimit({
      redis,
      limiter: Ratelimit.fixedWindow(max, '1 h'),
      prefix: randomUUID(),
      ephemeralCache: false,
    });

  test('values of every type are returned unchanged', async () => {
    const key = randomUUID();
    expect(await redis.set(key, { name: 'Ação é 日本 🎯' })).toBe('OK');
    expect(await redis.get(key)).toEqual({ name: 'Ação é 日本 🎯' });
    expect(await redis.get(randomUUID())).toBeNull();
    expect(await redis.eval('return {1, {"dois", {3}}, false}', [], [])).toEqual([1, ['dois', [3]], null]);
    expect(await redis.incrby(`${key}:n`, 7)).toBe(7);
    await redis.set(`${key}:big`, '9007199254740992');
    expect(await redis.incr(`${key}:big`)).toBe('9007199254740993');
    const several = redis.pipeline().incr(`${key}:l`).eval("return {'OK', 'ã'}", [], []);
    expect(await several.exec()).toEqual([1, ['OK', 'ã']]);
  });

  test('strings are base64 only on request, and "OK" never is', async () => {
    const key = randomUUID();
    const commands = [
      ['SET', key, 'ação'],
      ['GET', key],
    ];
    expect(await (await post(commands)).json()).toEqual([{ result: 'OK' }, { result: 'ação' }]);
    const encoded = await post(commands, { 'upstash-encoding': 'base64' });
    expect(await encoded.json()).toEqual([
      { result: 'OK' },
      { result: Buffer.from('ação').toString('base64') },
    ]);
  });

  test('a wrong or missing token returns 401', async () => {
    const stranger = new Redis({ url: emulator.url, token: 'wrong', retry: false });
    await expect(stranger.get('key')).rejects.toThrow('Unauthorized');
    const missing = await fetch(`${emulator.url}/pipeline`, { method: 'POST', body: '[["PING"]]' });
    expect(missing.status).toBe(401);
    expect(await missing.json()).toEqual({ error: 'Unauthorized' });
  });

  test('the error of a command is at its item', async () => {
    const key = randomUUID();
    const response = await post([['SET', key, 'text'], ['INCR', key], ['NOSUCHCOMMAND'], ['GET', key]]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([
      { result: 'OK' },
      { error: expect.stringContaining('not an integer') },
      { error: expect.stringMatching(/^ERR unknown command/i) },
      { result: 'text' },
    ]);
  });

  test.each([
    ['not JSON', '{'],
    ['no command', '[[]]'],
    ['no array', '{"a":1}'],
    ['a flat pipeline', '["GET","a"]'],
  ])('%s returns 400', async (_name, body) => {
    const response = await fetch(`${emulator.url}/pipeline`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/^ERR /) });
  });

  test('automatic pipelining returns each caller its own response', async () => {
    const prefix = randomUUID();
    const numbers = Array.from({ length: 200 }, (_unused, index) => index);
    await Promise.all(numbers.map((number) => redis.set(`${prefix}:${number}`, number)));
    const read = await Promise.all(numbers.map((number) => redis.get(`${prefix}:${number}`)));
    expect(read).toEqual(numbers);
  });

  test('a script with the Upstash line runs by its own SHA-1 once it is known', async () => {
    const script = `#!lua flags=allow-key-locking\nreturn "${randomUUID()}"`;
    const sha = createHash('sha1').update(script).digest('hex');
    await expect(redis.evalsha(sha, [], [])).rejects.toThrow('NOSCRIPT');
    const value = await redis.eval(script, [], []);
    expect(await redis.evalsha(sha, [], [])).toBe(value);
    await redis.scriptFlush();
    await expect(redis.evalsha(sha, [], [])).rejects.toThrow('NOSCRIPT');
  });

  test('keys expire after their time, and deleted ones immediately', async () => {
    const key = randomUUID();
    expect(await redis.pttl(key)).toBe(-2);
    await redis.set(key, 'text');
    expect(await redis.pttl(key)).toBe(-1);
    expect(await redis.pexpire(key, 60_000)).toBe(1);
    expect(await redis.pttl(key)).toBeGreaterThan(50_000);
    expect([await redis.del(key), await redis.del(key), await redis.get(key)]).toEqual([1, 0, null]);
    await redis.incr(key);
    await redis.pexpire(key, 1);
    await waitFor(async () => (await redis.get(key)) === null);
    expect(await redis.incr(key)).toBe(1);
  });

  test('scripts see keys and arguments, and an error names its line', async () => {
    const key = randomUUID();
    const script = `
      local before = redis.call('GET', KEYS[1])
      redis.call('SET', KEYS[1], ARGV[1])
      return {before == false, redis.call('GET', KEYS[1]), tonumber(ARGV[2]) + 0.9, #KEYS}`;
    expect(await redis.eval(script, [key], ['ã', 41])).toEqual([1, 'ã', 41, 1]);
    await expect(redis.eval("\n\nreturn redis.call('INCR', KEYS[1])", [key], [])).rejects.toThrow(
      'not an integer',
    );
    await expect(redis.eval('\n\nreturn nothing.there', [], [])).rejects.toThrow(/:3:/);
  });

  test('a fixed window admits exactly its limit', async () => {
    const limit = limiter(3);
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => limit.limit('caller')));
    expect(results.map((result) => result.success)).toEqual([true, true, true, false, false]);
    expect(results.every((result) => result.limit === 3 && result.reset > Date.now())).toBe(true);
    expect((await limit.limit('other')).remaining).toBe(2);
  });

  test('a rate of 0 counts nothing, a negative one returns what was counted', async () => {
    const limit = limiter(5);
    await limit.limit('caller', { rate: 4 });
    expect((await limit.limit('caller', { rate: 0 })).remaining).toBe(1);
    await limit.limit('caller', { rate: -3 });
    expect((await limit.limit('caller', { rate: 0 })).remaining).toBe(4);
  });
});

test('responses are 503 while Redis is unreachable, and it reconnects', async () => {
  const first = await startStub();
  const emulator = await startRedis({ token: TOKEN, redisUrl: `redis://127.0.0.1:${first.port}` });
  const redis = new Redis({ url: emulator.url, token: TOKEN, retry: false });
  expect(await redis.set('key', 1)).toBe('OK');

  await first.stop();
  const response = await fetch(`${emulator.url}/pipeline`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: '[["GET","key"]]',
  });
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ error: expect.stringContaining('Redis') });

  const second = await startStub(first.port);
  expect(await redis.set('key', 2)).toBe('OK');
  await emulator.close();
  await second.stop();
});

test('a command in flight when the connection breaks returns 503', async () => {
  const breaking = await startStub(0, (socket) => socket.destroy());
  const emulator = await startRedis({ token: TOKEN, redisUrl: `redis://127.0.0.1:${breaking.port}` });
  const response = await fetch(`${emulator.url}/pipeline`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: '[["GET","a"],["GET","b"]]',
  });
  expect(response.status).toBe(503);
  await emulator.close();
  await breaking.stop();
});

test('a port in use is an error', async () => {
  const emulator = await startRedis({ token: TOKEN });
  await expect(startRedis({ token: TOKEN, port: Number(new URL(emulator.url).port) })).rejects.toThrow(
    'EADDRINUSE',
  );
  await emulator.close();
});
