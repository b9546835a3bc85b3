import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Asaas } from '../../../../../local/providers/asaas/index.ts';
import type { TransferStep } from '../../../../../local/providers/asaas/transfers.ts';
import { createAsaasClients } from '../../../../../shared/payments/providers/asaas/client.ts';
import { createPayouts } from '../../../../../shared/payments/providers/asaas/payouts.ts';
import {
  InvalidOrder,
  ProviderBusy,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../../../../../shared/payments/providers/errors.ts';
import type { PayoutOrder } from '../../../../../shared/payments/providers/payout-port.ts';
import { payoutsOf } from '../../../../../shared/payments/providers/provider.ts';
import { startAsaasForTest } from '../../../../support/payments/asaas.ts';
import { adjusted, beneficiary, connectAsaas, patient } from '../../../../support/payments/asaas-provider.ts';

let asaas: Asaas;
beforeAll(async () => {
  asaas = (await startAsaasForTest()).asaas;
});
afterAll(() => asaas.stop());

const connect = (options = {}) =>
  connectAsaas(asaas, {
    account: {
      balance: 1000,
      options: { criticalAuthorization: 'off', fees: { transfer: 150 }, ...options },
    },
  });

const SOMEBODY_ELSES = { id: 'a-b', value: 1, status: 'DONE', externalReference: null };

/** A transfer that was sent and is on hold, and its next states. */
async function sent(options = {}) {
  const connected = await connect({ transfers: 'held', ...options });
  const { provider, payoutOrder, account } = connected;
  const order = await payoutOrder();
  const created = await payoutsOf(provider).create(order, patient);
  const known: PayoutOrder = { ...order, providerReference: created.providerReference };
  return {
    ...connected,
    order: known,
    created,
    step: (step: TransferStep) => asaas.control.transfer(account.id, created.providerReference, step),
    read: () => payoutsOf(provider).find(known, patient),
  };
}

test.each([
  ['cpf', '52998224725', '52998224725', 'CPF'],
  ['cnpj', '11222333000181', '11222333000181', 'CNPJ'],
  ['email', 'bia@demo.example', 'bia@demo.example', 'EMAIL'],
  ['phone', '+5511987654321', '11987654321', 'PHONE'],
  ['evp', '123e4567-e89b-42d3-a456-426614174000', '123e4567-e89b-42d3-a456-426614174000', 'EVP'],
] as const)(
  'a key of type %s is sent in the format of Asaas',
  async (key_type, key, pixAddressKey, pixAddressKeyType) => {
    const { provider, payoutOrder, account } = await connect();
    const order = await payoutOrder({ beneficiary: beneficiary({ type: 'pix', key_type, key }) });
    const report = await payoutsOf(provider).create(order, patient);
    expect(report.state).toMatchObject({ status: 'processing', feeMinor: 150 });
    const sentBodies = await asaas.control.requests({
      method: 'POST',
      path: '/v3/transfers',
      account: account.id,
    });
    expect(sentBodies.map(({ body }) => body)).toEqual([
      {
        value: 25,
        operationType: 'PIX',
        pixAddressKey,
        pixAddressKeyType,
        description: 'PAY-2026-000001',
        externalReference: order.reference,
      },
    ]);
  },
);

test('a bank account is not supported by Asaas', async () => {
  const { provider, payoutOrder } = await connect();
  const account = { type: 'bank_transfer', country: 'DE', iban: 'DE89370400440532013000' } as const;
  const order = await payoutOrder({ beneficiary: beneficiary(account) });
  await expect(payoutsOf(provider).create(order, patient)).rejects.toBeInstanceOf(InvalidOrder);
});

describe('states', () => {
  test('done, with its fee', async () => {
    const { read, step, day } = await sent();
    expect((await read())?.state).toMatchObject({ status: 'processing' });
    await step({ step: 'done' });
    expect((await read())?.state).toMatchObject({
      status: 'paid',
      feeMinor: 150,
      availableOn: await day(),
      reason: undefined,
    });
  });

  test('failed, for a reason, and free of charge', async () => {
    const { read, step } = await sent();
    await step({ step: 'fail', reason: 'Conta encerrada.' });
    const report = await read();
    expect(report?.state).toMatchObject({
      status: 'failed',
      feeMinor: undefined,
      reason: 'Conta encerrada.',
    });
    expect(report?.adjustments).toBeUndefined();
  });

  test('blocked: in progress', async () => {
    const { read, step } = await sent();
    await step({ step: 'block' });
    expect((await read())?.state.status).toBe('processing');
  });

  test('returned after it was done', async () => {
    const { read, step } = await sent();
    await step({ step: 'done' });
    await step({ step: 'return', show: 'FAILED' });
    const report = await read();
    expect(report?.state).toMatchObject({ status: 'failed', feeMinor: 150 });
    expect(adjusted(report)).toEqual({ returned: 2_500 });
  });

  test('waiting for authorization, and canceled', async () => {
    const { created, read, provider, order } = await sent({ criticalAuthorization: 'wait' });
    expect(created.state.status).toBe('created');
    expect(await payoutsOf(provider).cancel(order, patient)).toBe(true);
    expect((await read())?.state.status).toBe('canceled');
    expect(await payoutsOf(provider).cancel(order, patient)).toBe(true);
  });

  test('canceled in the panel while in progress: failed', async () => {
    const { read, step } = await sent();
    await step({ step: 'cancel' });
    expect((await read())?.state).toMatchObject({ status: 'failed', reason: expect.any(String) });
  });

  test('too late to cancel', async () => {
    const { provider, order, step, read } = await sent();
    await step({ step: 'done' });
    expect(await payoutsOf(provider).cancel(order, patient)).toBe(false);
    expect((await read())?.state.status).toBe('paid');
  });

  test('a payout that does not exist cannot be canceled', async () => {
    const { provider, payoutOrder } = await connect();
    expect(await payoutsOf(provider).cancel(await payoutOrder(), patient)).toBe(false);
  });
});

describe('faults', () => {
  test.each(['cut_after', 'error_after'] as const)('%s: it was sent once, and is found', async (kind) => {
    const { provider, payoutOrder, account } = await connect();
    const order = await payoutOrder();
    await asaas.control.fault({ kind, method: 'POST', path: '/v3/transfers', account: account.id });
    await expect(payoutsOf(provider).create(order, patient)).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    expect(await payoutsOf(provider).find(order, patient)).toMatchObject({
      providerReference: expect.any(String),
    });
    const posts = await asaas.control.requests({
      method: 'POST',
      path: '/v3/transfers',
      account: account.id,
    });
    expect(posts).toHaveLength(1);
  });

  test('a payout that was never accepted is not found', async () => {
    const { provider, payoutOrder, account } = await connect();
    const order = await payoutOrder();
    await asaas.control.fault({
      kind: 'cut_before',
      method: 'POST',
      path: '/v3/transfers',
      account: account.id,
    });
    await expect(payoutsOf(provider).create(order, patient)).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    expect(await payoutsOf(provider).find(order, patient)).toBeUndefined();
  });

  test('one whose id is unknown is found by our reference', async () => {
    const { provider, payoutOrder } = await connect();
    const order = await payoutOrder();
    const { providerReference } = await payoutsOf(provider).create(order, patient);
    const other = { ...order, providerReference: '00000000-0000-4000-8000-000000000000' };
    expect(await payoutsOf(provider).find(other, patient)).toMatchObject({ providerReference });
  });

  test('an equal one within a quarter of an hour has to wait', async () => {
    const { provider, payoutOrder } = await connect();
    await payoutsOf(provider).create(await payoutOrder(), patient);
    const again = payoutsOf(provider).create(await payoutOrder(), patient);
    await expect(again).rejects.toBeInstanceOf(ProviderBusy);
    await expect(again).rejects.toMatchObject({ retryAfterSeconds: 900 });
  });

  test.each([
    ['more than the balance', { amountMinor: 900_000 }, {}],
    ['a confirmation code that nobody has', {}, { criticalAuthorization: 'refuse' }],
  ])('%s is a rejection with the message of Asaas', async (_, change, options) => {
    const { provider, payoutOrder } = await connect(options);
    const refused = payoutsOf(provider).create(await payoutOrder(change), patient);
    await expect(refused).rejects.toBeInstanceOf(ProviderRejected);
    await expect(refused).rejects.toThrow(/[Ss]aldo|autorização/);
  });
});

test('a transfer from late in the evening is searched from the previous day, and found behind others', async () => {
  const { provider, payoutOrder, account } = await connect({ duplicateTransferMinutes: 0 });
  const order = await payoutOrder();
  await payoutsOf(provider).create(order, patient);
  for (let n = 0; n < 100; n++)
    await payoutsOf(provider).create(await payoutOrder({ amountMinor: 100 }), patient);
  expect(await payoutsOf(provider).find(order, patient)).toBeDefined();
  const looks = await asaas.control.requests({ method: 'GET', path: '/v3/transfers', account: account.id });
  const before = new Date(order.createdAt.getTime() - 86_400_000).toISOString().slice(0, 10);
  expect(looks.map(({ query }) => query['dateCreated[ge]'])).toEqual([before, before]);
  expect(looks.map(({ query }) => query['dateCreatedLe[ge]'])).toEqual([before, before]);
});

test('a list without pages proves nothing about transfers beyond its first page', async () => {
  const { provider, payoutOrder, account } = await connect();
  const first = { object: 'list', hasMore: true, totalCount: 2, limit: 1, offset: 0, data: [SOMEBODY_ELSES] };
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end(JSON.stringify({ ...first, hasMore: asked < 5 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  // The address of a server that listens on a port has this type.
  const { port } = server.address() as AddressInfo;
  const elsewhere = createAsaasClients(`http://127.0.0.1:${port}/v3`, account.apiKey);
  const look = createPayouts(elsewhere).find(await payoutOrder(), patient);
  await expect(look).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
  server.close();
  expect(await payoutsOf(provider).find(await payoutOrder(), patient)).toBeUndefined();
});
