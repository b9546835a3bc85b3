// One attempt with receivers that misbehave.

import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseRetryAfter } from '../../../../shared/platform/waits.ts';
import {
  attempt,
  type DeliveryAttemptResult,
} from '../../../../shared/webhooks/delivery/attempt-delivery.ts';
import type { OutgoingRequest } from '../../../../shared/webhooks/delivery/http-client.ts';
import type { Network } from '../../../../shared/webhooks/delivery/network.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { answer, nodeNetwork, startEndpoint } from '../../../support/webhooks/webhooks.ts';

const outgoing = { headers: { 'X-Test': 'yes' }, body: new TextEncoder().encode('{"a":"é"}') };
const send = (url: string, { network = nodeNetwork(), timeoutMs = 60_000 } = {}) =>
  attemptTo(url, outgoing, network, timeoutMs);

/** An attempt without a limit of concurrent ones. */
async function attemptTo(
  url: string,
  bytes: OutgoingRequest,
  network: Network,
  timeoutMs: number,
): Promise<DeliveryAttemptResult> {
  const options = { network, allowInsecure: true, timeoutMs, reserveSlots: async () => null };
  const outcome = await attempt(url, bytes, options);
  if ('busyUntil' in outcome) throw new Error('there is room');
  return outcome;
}

/** A receiver that sends the given bytes. It ends with the test. */
async function startRaw(speak: (socket: Socket) => void): Promise<{ url: string; open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address() as { port: number };
  return { url: `http://127.0.0.1:${address.port}/`, open };
}

/** Writes repeatedly until the other side closes the connection. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 5);
  socket.on('close', () => clearInterval(timer));
}

test('sends a POST with these bytes and headers; a 2xx response is success', async () => {
  const { url, received } = await startEndpoint((response) => response.writeHead(202).end('taken'));
  expect(await send(`${url}?a=1`)).toEqual({
    status: 202,
    excerpt: 'taken',
    error: null,
    retryAfterSeconds: null,
    durationMs: expect.any(Number),
  });
  expect(received).toMatchObject([
    { path: '/hook?a=1', body: '{"a":"é"}', headers: { 'x-test': 'yes', host: new URL(url).host } },
  ]);
});

test.each([
  [
    'chunked',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\n\r\n',
    'Wikipedia ',
  ],
  [
    'after 1xx',
    'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    'ok',
  ],
  ['with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokay', 'okay'],
  ['with lines that end with LF only', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', 'ok'],
  [
    'with both line ends, after 1xx',
    'HTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nok',
    'ok',
  ],
  ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
  ['with NUL and broken UTF-8', 'HTTP/1.0 200\r\nContent-Length: 2\r\n\r\n\0\xff', '\ufffd\ufffd'],
])('a response %s ends without the connection being closed', async (_, text, excerpt) => {
  const { url } = await startRaw((socket) => socket.write(Buffer.from(text, 'latin1')));
  expect(await send(url)).toMatchObject({ excerpt, error: null });
});

test.each([
  ['with a length', 200, 'Content-Length: 10\r\n\r\ntaken'],
  ['with a length and nothing more', 200, 'Content-Length: 1\r\n\r\n'],
  ['in the middle of a chunk', 200, 'Transfer-Encoding: chunked\r\n\r\na\r\ntaken'],
  ['between chunks', 202, 'Transfer-Encoding: chunked\r\n\r\n5\r\ntaken\r\n'],
  ['before the end of the last chunk', 200, 'Transfer-Encoding: chunked\r\n\r\n5\r\ntaken\r\n0\r\n'],
  ['chunked, whatever its length says', 200, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nt'],
])('a truncated 2xx is a failed attempt: %s', async (_, status, rest) => {
  const { url } = await startRaw((socket) => socket.end(`HTTP/1.1 ${status} OK\r\n${rest}`));
  expect(await send(url)).toMatchObject({
    status,
    error: `the response (${status}) was incomplete`,
  });
});

test.each([
  ['what was announced', 'Content-Length: 5\r\n\r\ntaken'],
  ['the last chunk', 'Transfer-Encoding: chunked\r\n\r\n5\r\ntaken\r\n0\r\n\r\n'],
  ['an answer that announced no length', '\r\ntaken'],
])('a response whose connection is closed after %s is complete', async (_, rest) => {
  const { url } = await startRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
  expect(await send(url)).toMatchObject({ status: 200, excerpt: 'taken', error: null });
});

test('accepts a response from a receiver that does not read the body', async () => {
  const { url } = await startRaw((socket) => socket.end('HTTP/1.1 413 Too Large\r\n\r\nno'));
  const body = new Uint8Array(8 * 1024 * 1024);
  const result = await attemptTo(url, { headers: {}, body }, nodeNetwork(), 60_000);
  expect(result).toMatchObject({ status: 413, excerpt: 'no' });
});

test('a redirect is a failure, and its target is never called', async () => {
  const target = await startEndpoint();
  const { url } = await startEndpoint(answer(302, { Location: target.url }));
  expect(await send(url)).toMatchObject({ status: 302, error: 'the receiver responded with 302' });
  expect(target.received).toEqual([]);
});

test.each([
  ['that never speaks', () => {}],
  ['whose headers never end', (socket: Socket) => drip(socket, 'X-More: yes\r\n'.padStart(20, ' '))],
  [
    'whose body never ends',
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      drip(socket, 'more');
    },
  ],
  [
    'whose chunks never end',
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      drip(socket, '1\r\nx\r\n');
    },
  ],
])('a receiver %s is aborted at the deadline', async (_, speak) => {
  const { url, open } = await startRaw(speak);
  const result = await send(url, { timeoutMs: 300 });
  expect(result).toMatchObject({ status: null, error: 'no complete response within 300 ms' });
  expect(result.durationMs).toBeGreaterThanOrEqual(299);
  await waitFor(() => open.size === 0);
});

test('a response of thousands of small chunks, one in each packet, takes little CPU time', async () => {
  // Each chunk ends like the last one, so that the response could be complete after it.
  const chunks = [...Array(7200).fill('4\r\n\r\n\r\n\r\n'), '0\r\n\r\n'];
  const packets = ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', ...chunks];
  let sent = 0;
  const network: Network = {
    ...nodeNetwork(),
    connect: async () => ({
      read: async (buffer) => new TextEncoder().encodeInto(packets[sent++] ?? '', buffer).written || null,
      write: async (data) => data.length,
      close() {},
    }),
  };
  const before = process.cpuUsage();
  const result = await send('http://127.0.0.1/', { network });
  const { user, system } = process.cpuUsage(before);
  expect(result).toMatchObject({ status: 200, error: null });
  expect(sent).toBe(packets.length);
  expect((user + system) / 1000).toBeLessThan(2000);
});

test('a network that hangs is aborted too: during name resolution and while connecting', async () => {
  const never = new Promise<never>(() => {});
  const resolving: Network = { ...nodeNetwork(), resolve: () => never };
  const connecting: Network = { ...nodeNetwork(), connect: () => never };
  for (const network of [resolving, connecting]) {
    const result = await send(network === resolving ? 'http://a.example/' : 'http://127.0.0.1/', {
      network,
      timeoutMs: 100,
    });
    expect(result.error).toBe('no complete response within 100 ms');
  }
});

test('rejects endless headers once they are too large', async () => {
  const { url } = await startRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`));
  expect((await send(url)).error).toBe('the response headers are larger than 16 KiB');
});

test.each([
  ['nothing', ''],
  ['something else', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
])('a receiver that responds with %s and hangs up', async (_, text) => {
  const { url } = await startRaw((socket) => socket.end(text));
  expect(await send(url)).toMatchObject({ status: null, error: expect.stringMatching(/response/) });
});

test('reads only the beginning of a 10 MB response, with little memory', async () => {
  let written = 0;
  const { url } = await startRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n');
    const more = () => {
      while (written < 10_485_760 && !socket.destroyed) {
        written += 65_536;
        if (!socket.write(Buffer.alloc(65_536, 'é'))) return void socket.once('drain', more);
      }
    };
    more();
  });
  const result = await send(url);
  expect(result).toMatchObject({ status: 200, error: null });
  expect(result.excerpt).toBe('é'.repeat(1024));
  expect(written).toBeLessThan(10_485_760);
});

test('truncates between characters', async () => {
  const { url } = await startEndpoint((response) => response.end(`x${'é'.repeat(2000)}`));
  expect((await send(url)).excerpt).toBe(`x${'é'.repeat(1023)}`);
});

test('connects to a checked address, even if the name resolves to another one by then', async () => {
  const { url, received } = await startEndpoint();
  const { port, hostname } = new URL(url);
  const asked: string[] = [];
  const rebinding = nodeNetwork({
    'rebind.example': () => {
      asked.push('rebind.example');
      return asked.length === 1 ? [hostname] : ['10.0.0.1'];
    },
  });
  expect(await send(`http://rebind.example:${port}/`, { network: rebinding })).toMatchObject({ status: 200 });
  expect(asked).toHaveLength(1);
  expect(received[0]?.headers.host).toBe(`rebind.example:${port}`);
});

test('rejects a name that resolves to a private address before it sends anything', async () => {
  const connectSpy = vi.fn();
  const network: Network = { resolve: async () => ['127.0.0.1', '10.0.0.1'], connect: connectSpy };
  expect(await send('http://inside.example/', { network })).toMatchObject({
    status: null,
    error: '"inside.example" is, or resolves to, a private, loopback or otherwise reserved address',
  });
  expect(connectSpy).not.toHaveBeenCalled();
});

test('tries the next address if one does not respond', async () => {
  const { url } = await startEndpoint();
  const { hostname } = new URL(url);
  const network = nodeNetwork({ 'two.example': () => ['127.0.0.2', hostname] });
  expect(await send(url.replace(hostname, 'two.example'), { network })).toMatchObject({ status: 200 });
});

/** A network on which connections to these addresses never complete, as if a firewall dropped their packets. */
function withSilent(network: Network, silent: string[]) {
  const tried: string[] = [];
  const connect: Network['connect'] = (address, ...rest) => {
    tried.push(address);
    return silent.includes(address) ? new Promise(() => {}) : network.connect(address, ...rest);
  };
  return { network: { ...network, connect }, tried };
}

test('tries the next address while the first one is silent', async () => {
  const { url } = await startEndpoint();
  const { hostname } = new URL(url);
  const silent = ['127.0.0.2', '127.0.0.3', '::1'];
  const names = { 'two.example': () => ['127.0.0.2', '127.0.0.3', hostname, '::1'] };
  const { network, tried } = withSilent(nodeNetwork(names), silent);
  expect(await send(url.replace(hostname, 'two.example'), { network })).toMatchObject({ status: 200 });
  // The families alternate, because often a whole family is unreachable.
  expect(tried).toEqual(['127.0.0.2', '::1', '127.0.0.3', hostname]);
});

test('closes connections that another address has overtaken', async () => {
  const { url } = await startEndpoint();
  const { hostname } = new URL(url);
  const network = nodeNetwork({ 'two.example': () => ['127.0.0.2', hostname] });
  const late = { read: async () => null, write: async () => 0, close: vi.fn() };
  let finish = (_: typeof late) => {};
  const slow: Network = {
    ...network,
    connect: (address, ...rest) =>
      address === '127.0.0.2'
        ? new Promise((resolve) => {
            finish = resolve;
          })
        : network.connect(address, ...rest),
  };
  expect(await send(url.replace(hostname, 'two.example'), { network: slow })).toMatchObject({ status: 200 });
  finish(late);
  await waitFor(() => late.close.mock.calls.length === 1);
});

test('reserves a slot for the address to connect to; without one nothing is sent', async () => {
  const { url, received } = await startEndpoint();
  const { hostname } = new URL(url);
  const addresses = [hostname, ...Array.from({ length: 19 }, (_, i) => `127.0.0.${i + 2}`)];
  const asked: string[][] = [];
  const busyUntil = new Date();
  const options = {
    network: nodeNetwork({ 'many.example': () => addresses }),
    allowInsecure: true,
    timeoutMs: 60_000,
    reserveSlots: async (list: string[]) => (asked.push(list) === 1 ? busyUntil : null),
  };
  const target = url.replace(hostname, 'many.example');
  expect(await attempt(target, outgoing, options)).toEqual({ busyUntil });
  expect(received).toEqual([]);
  expect(await attempt(target, outgoing, options)).toMatchObject({ status: 200 });
  expect(asked).toEqual([addresses.slice(0, 8), addresses.slice(0, 8)]);
  // An unreachable database is not an outcome of the attempt.
  const refused = attempt(target, outgoing, {
    ...options,
    reserveSlots: () => Promise.reject(new Error('away')),
  });
  await expect(refused).rejects.toThrow('away');
});

test('nothing listens', async () => {
  const { url } = await startRaw(() => {});
  const { port } = new URL(url);
  const closed = await new Promise<number>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      const { localPort = 0 } = socket;
      socket.destroy();
      resolve(localPort);
    });
  });
  expect(await send(`http://127.0.0.1:${closed}/`)).toMatchObject({
    status: null,
    error: expect.any(String),
  });
});

test.each([
  ['120', 120],
  ['0', undefined],
  ['99999999', 86_400],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60],
  ['Wed, 31 Dec 2025 23:00:00 GMT', undefined],
  ['soon', undefined],
  [undefined, undefined],
])('Retry-After: %s', (value, seconds) => {
  expect(parseRetryAfter(value, Date.parse('2026-01-01T00:00:00Z'))).toBe(seconds);
});
