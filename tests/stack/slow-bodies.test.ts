// Slow request bodies: those of unknown callers are not read, and those of known callers only for a limited time.
import { connect } from 'node:net';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { connectAsaasTenant } from '../support/payments/asaas-tenant.ts';
import { connectedStripe } from '../support/payments/connected-wise-stripe.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });
const UNKNOWN_KEY = `sk_test_${'0'.repeat(32)}`;

/** Sends the headers of a request with a body, and part of the body. Returns the response until the connection ends. */
function sendHead(port: number, path: string, headers: Record<string, string>, part = '') {
  const socket = connect({ host: '127.0.0.1', port });
  const state = { answer: '', closed: false, send: (text: string) => socket.write(text) };
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    state.answer += text;
  });
  socket.on('close', () => {
    state.closed = true;
  });
  socket.on('error', () => {});
  const lines = Object.entries({ Host: 'localhost', 'Content-Type': 'application/json', ...headers });
  socket.write(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${part}`,
  );
  onTestFinished(() => void socket.destroy());
  return state;
}

test('a caller with an unknown key, or without one, gets a response before its body arrives', async () => {
  const { edge } = await startOwnFunction('default-integration');
  for (const headers of [{}, { Authorization: `Bearer ${UNKNOWN_KEY}` }]) {
    const state = sendHead(
      edge.port,
      '/default-integration',
      { 'Content-Length': '5000000', ...headers },
      '{',
    );
    await waitFor(() => state.answer.startsWith('HTTP/1.1 401'));
  }
});

test("callbacks read no more of a body than a message can have, and nothing without the provider's token", async () => {
  const { edge } = await startOwnFunction('callbacks');
  const long = { 'Content-Length': '5000000' };
  const refusals = [
    ['/callbacks/jobs/deliver-webhook', { ...long, 'Upstash-Signature': 'x' }, 413],
    ['/callbacks/sweep', { ...long, 'Upstash-Signature': 'x' }, 413],
    ['/callbacks/providers/sandbox', long, 401],
    [
      '/callbacks/providers/sandbox',
      { ...long, 'X-Sandbox-Token': inject('env').SANDBOX_NOTIFICATION_TOKEN ?? '' },
      413,
    ],
  ] as const;
  for (const [path, headers, status] of refusals) {
    const state = sendHead(edge.port, path, headers, '{');
    await waitFor(() => state.answer.startsWith(`HTTP/1.1 ${status}`));
  }
});

describe("a provider's webhook", () => {
  const long = { 'Content-Length': '400000' };
  const recent = () => `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`;

  test('is rejected before its body arrives, unless the account exists and the headers match the provider', async () => {
    const { edge } = await startOwnFunction('callbacks');
    const asaas = await connectAsaasTenant(sql);
    const stripe = await connectedStripe(sql);
    const invented = `/callbacks/providers/stripe/pacc_${'0'.repeat(26)}`;
    const old = `t=${Math.floor(Date.now() / 1000) - 3600},v1=${'0'.repeat(64)}`;
    for (const [path, headers] of [
      [invented, { 'Stripe-Signature': recent() }],
      [`/callbacks/providers/stripe/${asaas.accountId}`, { 'Stripe-Signature': recent() }],
      [`/callbacks/providers/asaas/${asaas.accountId}`, { 'asaas-access-token': 'x'.repeat(48) }],
      [`/callbacks/providers/asaas/${asaas.accountId}/approvals`, { 'asaas-access-token': 'x'.repeat(48) }],
      [`/callbacks/providers/stripe/${stripe.id}`, {}],
      [`/callbacks/providers/stripe/${stripe.id}`, { 'Stripe-Signature': 't=1,v1=0' }],
      [`/callbacks/providers/stripe/${stripe.id}`, { 'Stripe-Signature': old }],
    ] as const) {
      const state = sendHead(edge.port, path, { ...long, ...headers }, '{');
      await waitFor(() => state.answer !== '');
      expect(state.answer, path).toMatch(/^HTTP\/1\.1 401/);
    }
  });

  test('with plausible headers: up to 4 MiB per account are read, further ones get 429', async () => {
    const { edge } = await startOwnFunction('callbacks');
    const { id } = await connectedStripe(sql);
    const headers = { ...long, 'Stripe-Signature': recent() };
    const states = Array.from({ length: 13 }, () =>
      sendHead(edge.port, `/callbacks/providers/stripe/${id}`, headers, 'x'.repeat(1000)),
    );
    const answered = (status: number) =>
      states.filter(({ answer }) => answer.startsWith(`HTTP/1.1 ${status}`));
    await waitFor(() => answered(429).length === 3);
  });

  test('gets 429 from an address that has sent 600 in a minute to unknown accounts', async () => {
    const { edge } = await startOwnFunction('callbacks', { CLIENT_ADDRESS_HEADER: 'x-test-address' });
    const url = `http://127.0.0.1:${edge.port}/callbacks/providers/stripe/pacc_${'0'.repeat(26)}`;
    const statuses: Record<number, number> = {};
    const send = async (address: string) => {
      const { status, body } = await fetch(url, {
        method: 'POST',
        headers: { 'x-test-address': address },
        body: '{}',
      });
      await body?.cancel();
      statuses[status] = (statuses[status] ?? 0) + 1;
      return status;
    };
    for (let sent = 0; sent < 610; sent += 10)
      await Promise.all(Array.from({ length: 10 }, () => send('203.0.113.9')));
    expect(statuses).toEqual({ 401: 600, 429: 10 });
    expect(await send('203.0.113.10')).toBe(401);
  });
});

test('stalled bodies of one key: the first 32 MiB wait, further ones get 429', async () => {
  const { apiKey } = await createTenant(sql);
  const { edge } = await startOwnFunction('default-integration');
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Length': '6000000' };
  const states = Array.from({ length: 7 }, () =>
    sendHead(edge.port, '/default-integration', headers, 'x'.repeat(70_000)),
  );
  const answered = (status: number) => states.filter(({ answer }) => answer.startsWith(`HTTP/1.1 ${status}`));
  await waitFor(() => answered(429).length === 2);
  for (const { answer } of answered(429)) expect(answer.toLowerCase()).toContain('retry-after: 1');
  // The remaining requests fall below the minimum rate.
  await waitFor(() => answered(408).length === 5, { limitMs: 40_000 });
});

test('a stalled token request returns 408 after 15 s, in the OAuth error format', async () => {
  const { edge } = await startOwnFunction('oauth');
  const state = sendHead(edge.port, '/oauth/token', { 'Content-Length': '100' }, '{');
  await waitFor(() => state.answer.includes('error_description'), { limitMs: 60_000 });
  expect(state.answer).toMatch(/^HTTP\/1.1 408/);
  expect(state.answer).toContain('"error":"request_timeout"');
});

test('a caller with a key may send slowly', async () => {
  const { apiKey } = await createTenant(sql);
  const { edge } = await startOwnFunction('default-integration');
  const body = JSON.stringify({ action: 'sync_activities', activities: [] });
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Length': String(body.length) };
  const state = sendHead(edge.port, '/default-integration', headers, body.slice(0, 5));
  // Other requests get a response in the meantime.
  const other = sendHead(edge.port, '/default-integration', { 'Content-Length': '10' }, '{');
  await waitFor(() => other.answer.startsWith('HTTP/1.1 401'));
  state.send(body.slice(5));
  await waitFor(() => state.answer.startsWith('HTTP/1.1 200'));
});
