// The network of the edge runtime: real TLS, under the deployed Deno version.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { DeliveryAttemptResult } from '../../../../shared/webhooks/delivery/attempt-delivery.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../..', import.meta.url));

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'placar-tls-'));
  const openssl = (...args: string[]) => run('openssl', args, { cwd: dir });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl(
    ...[
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-subj',
      '/CN=Test CA',
      '-days',
      '2',
    ],
  );
  await openssl(
    ...['req', ...newKey, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=hook.example'],
  );
  await openssl(
    ...[
      'req',
      '-x509',
      '-in',
      'request.pem',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-out',
      'cert.pem',
      '-days',
      '2',
    ],
    ...['-addext', 'subjectAltName=DNS:hook.example', '-addext', 'basicConstraints=critical,CA:false'],
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function listen(server: { listen: (port: number, host: string, done: () => void) => unknown }) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

async function startHttps(): Promise<{ port: number; serverNames: unknown[] }> {
  const serverNames: unknown[] = [];
  const pem = (name: string) => readFileSync(join(dir, name));
  const server = createServer({ key: pem('key.pem'), cert: pem('cert.pem') }, (request, response) => {
    serverNames.push((request.socket as TLSSocket & { servername: unknown }).servername);
    response.end('over TLS');
  });
  await listen(server);
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, serverNames };
}

async function attemptUnderDeno(
  url: string,
  {
    trusted = true,
    names = {},
    timeoutMs = 60_000,
  }: { trusted?: boolean; names?: Record<string, string[]>; timeoutMs?: number } = {},
): Promise<DeliveryAttemptResult> {
  const args = ['run', '--quiet', '--no-lock', '--node-modules-dir=manual', '--allow-net', '--allow-env'];
  const trust = trusted ? [`--cert=${join(dir, 'ca.pem')}`] : [];
  const script = [join(root, 'tests/support/webhooks/attempt-under-deno.ts'), url, JSON.stringify(names)];
  const timeout = String(timeoutMs);
  const { stdout } = await run(
    join(root, 'node_modules/deno/deno'),
    [...args, ...trust, ...script, timeout],
    {
      cwd: root,
      env: { HOME: process.env.HOME, NO_COLOR: '1' },
    },
  );
  return JSON.parse(stdout);
}

const names = { 'hook.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] };

test('accepts a certificate of a trusted authority for this name, with SNI', async () => {
  const { port, serverNames } = await startHttps();
  expect(await attemptUnderDeno(`https://hook.example:${port}/`, { names })).toMatchObject({
    status: 200,
    excerpt: 'over TLS',
  });
  expect(serverNames).toEqual(['hook.example']);
});

test('rejects a certificate for another name or from an untrusted authority', async () => {
  const { port, serverNames } = await startHttps();
  const other = await attemptUnderDeno(`https://other.example:${port}/`, { names });
  expect(other).toMatchObject({ status: null, error: expect.stringMatching(/certificate/) });
  const untrusted = await attemptUnderDeno(`https://hook.example:${port}/`, { names, trusted: false });
  expect(untrusted).toMatchObject({ status: null, error: expect.stringMatching(/certificate/) });
  expect(serverNames).toEqual([]);
});

test('aborts a peer that never completes the handshake', async () => {
  const server = createTcpServer((socket) => void socket.on('error', () => {}));
  await listen(server);
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  expect(await attemptUnderDeno(`https://hook.example:${port}/`, { names, timeoutMs: 500 })).toMatchObject({
    error: 'no complete response within 500 ms',
  });
});

test('a name without an address', async () => {
  const { error } = await attemptUnderDeno('https://placar-webhook.invalid/');
  expect(error).toBe('"placar-webhook.invalid" does not resolve to an address');
});
