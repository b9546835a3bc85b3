// Transfers at the Asaas emulator: validation, approval requests and outcomes.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AsaasClient,
  asaasClient,
  startAsaasForTest,
  webhookOrder,
} from '../../support/payments/asaas.ts';
import { type Receiver, startReceiver } from '../../support/payments/vendor-receiver.ts';

let client: AsaasClient;
let receiver: Receiver;
beforeAll(async () => {
  client = await startAsaasForTest();
});
beforeEach(async () => {
  receiver = await startReceiver();
  Object.assign(
    client,
    await asaasClient(client.asaas, { balance: 1000, options: { fees: { transfer: 200 } } }),
  );
});
afterEach(() => receiver.close());
afterAll(() => client.asaas.stop());

const ORDER = {
  value: 100,
  operationType: 'PIX',
  pixAddressKey: '24971563792',
  pixAddressKeyType: 'CPF',
  externalReference: 'po_1',
};

/** Registers the approval URL, and subscribes to all events. */
async function prepare(): Promise<void> {
  const address = { url: `${receiver.url}/approvals`, authToken: 'approval-token' };
  await client.asaas.control.withdrawalValidation(client.account.id, address);
  await client.ok('POST', '/webhooks', webhookOrder(`${receiver.url}/hook`));
}
const asked = () => receiver.received.filter(({ path }) => path === '/approvals');
const told = () => receiver.received.filter(({ path }) => path === '/hook').map(({ body }) => body.event);
const get = (id: string) => client.ok('GET', `/transfers/${id}`);
const balance = async () => (await client.ok('GET', '/finance/balance')).balance;
const answerApprovals = (answer: { status: number; body?: unknown }) => {
  receiver.answer = ({ path }) => (path === '/approvals' ? answer : { status: 200 });
};

test('asks for approval five seconds after an order, stores the response, and sends approved transfers', async () => {
  await prepare();
  answerApprovals({ status: 200, body: { status: 'APPROVED' } });
  const order = await client.ok('POST', '/transfers', ORDER);
  expect(order).toMatchObject({
    object: 'transfer',
    status: 'PENDING',
    authorized: false,
    value: 100,
    transferFee: 2,
    operationType: 'PIX',
    externalReference: 'po_1',
    effectiveDate: null,
    bankAccount: { pixAddressKey: '24971563792', cpfCnpj: expect.stringContaining('***') },
  });
  expect(await balance()).toBe(898);
  await client.asaas.control.advance({ ms: 4900 });
  expect(asked()).toHaveLength(0);
  await client.asaas.control.advance({ ms: 100 });
  expect(asked()).toHaveLength(1);
  expect(asked()[0]?.headers['asaas-access-token']).toBe('approval-token');
  expect(asked()[0]?.body).toEqual({ type: 'TRANSFER', transfer: order });
  await client.asaas.control.advance({ seconds: 10 });
  const done = await get(order.id);
  expect(done).toMatchObject({ status: 'DONE', authorized: true, effectiveDate: await client.day() });
  expect(done.endToEndIdentifier).toMatch(/^E\d{20}[a-zA-Z0-9]{11}$/);
  expect(told()).toEqual([
    'TRANSFER_CREATED',
    'TRANSFER_PENDING',
    'TRANSFER_IN_BANK_PROCESSING',
    'TRANSFER_DONE',
  ]);
});

test('cancels rejected transfers, and returns money and fee', async () => {
  await prepare();
  answerApprovals({ status: 200, body: { status: 'REFUSED', refuseReason: 'unknown order' } });
  const { id } = await client.ok('POST', '/transfers', ORDER);
  await client.asaas.control.advance({ seconds: 5 });
  expect(await get(id)).toMatchObject({
    status: 'CANCELLED',
    failReason: 'unknown order',
    authorized: false,
  });
  expect(await balance()).toBe(1000);
  expect(told()).toEqual(['TRANSFER_CREATED', 'TRANSFER_CANCELLED']);
});

test.each([
  ['an error', { status: 500, body: { status: 'APPROVED' } }],
  ['another 2xx', { status: 201, body: { status: 'APPROVED' } }],
  ['no verdict', { status: 200, body: { approved: true } }],
])('cancels after three failed attempts: %s', async (_, answer) => {
  await prepare();
  answerApprovals(answer);
  const { id } = await client.ok('POST', '/transfers', ORDER);
  await client.asaas.control.advance({ minutes: 1 });
  expect(asked()).toHaveLength(3);
  expect((await get(id)).status).toBe('CANCELLED');
});

test('rejects an order without a confirmation code if no approval webhook is set', async () => {
  const refused = await client.call('POST', '/transfers', ORDER);
  expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'invalid_action']);
  expect(refused.body.errors[0].description).toContain('autorização crítica');
  await client.asaas.control.options(client.account.id, { criticalAuthorization: 'wait' });
  const waiting = await client.ok('POST', '/transfers', ORDER);
  await client.asaas.control.advance({ days: 1 });
  expect(await get(waiting.id)).toMatchObject({ status: 'PENDING', authorized: false });
});

test('accepts keys only in the formats of Asaas', async () => {
  await client.asaas.control.options(client.account.id, {
    criticalAuthorization: 'off',
    unknownPixKeys: ['11144477735'],
  });
  const keys: [number, string, string | undefined][] = [
    [200, '11987654321', 'PHONE'],
    [400, '+5511987654321', 'PHONE'],
    [400, '249.715.637-92', 'CPF'],
    [400, '24971563793', 'CPF'],
    [400, '11144477735', 'CPF'],
    [200, '12ABC34501DE35', 'CNPJ'],
    [400, '12ABC34501DE36', 'CNPJ'],
    [200, 'ana@demo.example', 'EMAIL'],
    [200, '123e4567-e12b-12d1-a456-426655440000', 'EVP'],
    [400, '24971563792', undefined],
  ];
  for (const [status, pixAddressKey, pixAddressKeyType] of keys) {
    const answer = await client.call('POST', '/transfers', {
      ...ORDER,
      value: 1,
      pixAddressKey,
      pixAddressKeyType,
    });
    expect([pixAddressKey, answer.status]).toEqual([pixAddressKey, status]);
  }
});

test('rejects more than the balance, and the same transfer twice within fifteen minutes', async () => {
  await client.asaas.control.options(client.account.id, { criticalAuthorization: 'off' });
  expect((await client.call('POST', '/transfers', { ...ORDER, value: 999 })).status).toBe(400);
  await client.ok('POST', '/transfers', ORDER);
  expect((await client.call('POST', '/transfers', { ...ORDER, externalReference: 'po_2' })).status).toBe(409);
  await client.ok('POST', '/transfers', { ...ORDER, value: 100.01 });
  await client.asaas.control.advance({ minutes: 15 });
  await client.ok('POST', '/transfers', ORDER);
});

test('fails, blocks, cancels, and returns bounced money', async () => {
  const { control } = client.asaas;
  const { id: account } = client.account;
  await control.options(account, { criticalAuthorization: 'off', transfers: 'failed' });
  const failed = await client.ok('POST', '/transfers', ORDER);
  await control.advance({ seconds: 5 });
  expect(await get(failed.id)).toMatchObject({ status: 'FAILED', failReason: expect.any(String) });
  await control.options(account, { transfers: 'blocked' });
  const blocked = await client.ok('POST', '/transfers', { ...ORDER, value: 50 });
  await control.advance({ seconds: 5 });
  expect((await get(blocked.id)).status).toBe('BLOCKED');
  expect((await client.call('DELETE', `/transfers/${blocked.id}/cancel`)).status).toBe(400);
  await control.transfer(account, blocked.id, { step: 'done' });
  await control.transfer(account, blocked.id, { step: 'return' });
  expect((await get(blocked.id)).status).toBe('DONE');
  expect(await balance()).toBe(998);
  await control.options(account, { criticalAuthorization: 'wait' });
  const pending = await client.ok('POST', '/transfers', { ...ORDER, value: 70 });
  expect((await client.ok('DELETE', `/transfers/${pending.id}/cancel`)).status).toBe('CANCELLED');
  expect(await balance()).toBe(998);
});

test('sends scheduled transfers on their date, and lists them by days in São Paulo', async () => {
  await client.asaas.control.options(client.account.id, { criticalAuthorization: 'off' });
  const scheduleDate = await client.day(2);
  const { id } = await client.ok('POST', '/transfers', { ...ORDER, scheduleDate });
  await client.asaas.control.advance({ hours: 12 });
  expect((await get(id)).status).toBe('PENDING');
  await client.asaas.control.advance({ days: 2 });
  expect(await get(id)).toMatchObject({ status: 'DONE', effectiveDate: scheduleDate });
  const count = async (query: string) => (await client.ok('GET', `/transfers?${query}`)).totalCount;
  expect(await count(`transferDate[ge]=${scheduleDate}&type=PIX`)).toBe(1);
  expect(await count(`dateCreated[ge]=${scheduleDate}`)).toBe(0);
  expect(await count('type=TED')).toBe(0);
});
