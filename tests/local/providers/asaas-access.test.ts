// Authentication at the Asaas emulator, and rejections before an order is read.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AsaasClient, asaasClient, startAsaasForTest } from '../../support/payments/asaas.ts';

let client: AsaasClient;
beforeAll(async () => {
  client = await startAsaasForTest();
});
afterAll(() => client.asaas.stop());

const codeOf = ({ body }: { body: { errors: { code: string }[] } }) => body.errors[0]?.code;

test('rejects a missing key, an unknown one, and one of the other environment', async () => {
  const calls = {
    access_token_not_found: '',
    invalid_access_token: '$aact_hmlg_unknown',
    invalid_environment: '$aact_prod_something',
  };
  for (const [code, access_token] of Object.entries(calls)) {
    const answer = await client.call('GET', '/customers', undefined, { access_token });
    expect([answer.status, codeOf(answer)]).toEqual([401, code]);
  }
});

test('accepts a key again after it was disabled and enabled', async () => {
  const { account, asaas } = client;
  await asaas.control.key(account.id, account.apiKey, { enabled: false });
  expect((await client.call('GET', '/customers')).status).toBe(401);
  await asaas.control.key(account.id, account.apiKey, { enabled: true });
  expect((await client.call('GET', '/customers')).status).toBe(200);
});

test('rejects a request without User-Agent', async () => {
  const raw = await send('GET /v3/customers HTTP/1.1\r\n');
  expect(raw).toMatch(/^HTTP\/1\.1 400 /);
  expect(raw).toContain('user_agent_required');
});

test('rejects a GET with a body', async () => {
  const raw = await send('GET /v3/customers HTTP/1.1\r\nuser-agent: x\r\ncontent-length: 2\r\n', '{}');
  expect(raw).toMatch(/^HTTP\/1\.1 403 /);
  expect(raw).not.toContain('host names');
});

test('distinguishes paths with and without a trailing slash', async () => {
  expect((await client.call('GET', '/customers/')).status).toBe(404);
  expect((await client.call('GET', '/payments/')).status).toBe(404);
  expect((await client.call('GET', '/fiscalInfo/')).status).toBe(200);
  expect((await client.call('GET', '/fiscalInfo')).status).toBe(200);
  const toAnotherAccount = await client.call('POST', '/transfers/', { value: 10 });
  expect([toAnotherAccount.status, codeOf(toAnotherAccount)]).toEqual([400, 'invalid_walletId']);
});

test('does not show data of other accounts', async () => {
  const other = await asaasClient(client.asaas);
  const payment = await client.charge();
  expect((await other.call('GET', `/payments/${payment.id}`)).status).toBe(404);
  expect((await other.call('DELETE', `/payments/${payment.id}`)).status).toBe(404);
  expect((await other.ok('GET', '/payments')).totalCount).toBe(0);
  const stolen = { customer: payment.customer, billingType: 'PIX', value: 10, dueDate: await client.day() };
  expect(codeOf(await other.call('POST', '/payments', stolen))).toBe('invalid_customer');
});

test('counts the requests of an endpoint and returns the remaining number', async () => {
  const limited = await asaasClient(client.asaas, {
    options: { endpointLimit: { requests: 2, seconds: 60 } },
  });
  const first = await limited.call('GET', '/customers');
  expect(first.headers.get('ratelimit-limit')).toBe('2');
  expect(first.headers.get('ratelimit-remaining')).toBe('1');
  await limited.call('GET', '/customers');
  const refused = await limited.call('GET', '/customers');
  expect([refused.status, refused.headers.get('ratelimit-remaining')]).toEqual([429, '0']);
  expect(Number(refused.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
  await client.asaas.control.advance({ minutes: 1 });
  expect((await limited.call('GET', '/customers')).status).toBe(200);
});

test('counts the quota of twelve hours from the first request', async () => {
  const limited = await asaasClient(client.asaas, { options: { quota: 1 } });
  expect((await limited.call('GET', '/finance/balance')).status).toBe(200);
  expect((await limited.call('GET', '/finance/balance')).status).toBe(429);
  await client.asaas.control.advance({ hours: 12 });
  expect((await limited.call('GET', '/finance/balance')).status).toBe(200);
});

/** A request as no client library would send it. */
function send(head: string, body = ''): Promise<string> {
  const { host, hostname, port } = new URL(client.asaas.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.write(
      `${head}host: ${host}\r\naccess_token: ${client.account.apiKey}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
}
