import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../../local/gateway.ts';
import { listen, onChosenPort, onFreePort } from '../../local/ports.ts';
import { StartError } from '../../local/start-error.ts';

async function take(port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return { server, port: await listen(server, { port }) };
}

test('uses another free port if a program takes the chosen one in between', async () => {
  const tried: number[] = [];
  const taken = await onFreePort(async (port) => {
    tried.push(port);
    if (tried.length < 3) await take(port);
    return (await take(port)).port;
  });
  expect(tried).toHaveLength(3);
  expect(taken).toBe(tried[2]);
});

test('does not retry other errors', async () => {
  let tries = 0;
  const failing = onFreePort(() => {
    tries++;
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(tries).toBe(1);
});

test('reports a requested port in use, with the setting that changes it', async () => {
  const { port } = await take();
  const chosen = { port, what: 'Redis', setting: 'REDIS_PORT', command: 'npm run it' };
  const error = await onChosenPort(chosen, () => take(port)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartError);
  expect(String(error)).toMatch(
    /: Port \d+ for Redis is in use\. Free it or choose another port: REDIS_PORT=\d+ npm run it$/,
  );
  // This program exits after it receives the port.
  const ended = () => Promise.reject(new Error('ended'));
  await expect(onChosenPort(chosen, ended)).rejects.toThrow(/is in use/);
  await expect(onChosenPort({ ...chosen, port: 0 }, ended)).rejects.toThrow('ended');
});

test('the gateway binds its port before the other parts start', async () => {
  const gateway = await startGateway(0);
  onTestFinished(() => gateway.close());
  const answer = await fetch(gateway.url);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  await expect(startGateway(Number(new URL(gateway.url).port))).rejects.toThrow('EADDRINUSE');
  gateway.open({ functionPorts: new Map(), apps: {} });
  expect((await fetch(gateway.url)).status).toBe(404);
});
