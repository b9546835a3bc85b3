import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Asaas } from '../../../../../local/providers/asaas/index.ts';
import { boletoError, pixPayloadError } from '../../../../../shared/payments/artifacts/verify.ts';
import { dayBefore, dayInSaoPaulo } from '../../../../../shared/payments/formats/sao-paulo.ts';
import {
  InvalidOrder,
  ProviderBusy,
  ProviderKeyRejected,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../../../../../shared/payments/providers/errors.ts';
import { chargesOf, fetchProviderFile } from '../../../../../shared/payments/providers/provider.ts';
import { startAsaasForTest } from '../../../../support/payments/asaas.ts';
import { ANA, connectAsaas, patient } from '../../../../support/payments/asaas-provider.ts';

let asaas: Asaas;
beforeAll(async () => {
  asaas = (await startAsaasForTest()).asaas;
});
afterAll(() => asaas.stop());

const connect = (options: Parameters<typeof connectAsaas>[1] = {}) => connectAsaas(asaas, options);
const posts = async (path: string, account: string) =>
  (await asaas.control.requests({ method: 'POST', path, account })).length;

describe('artifacts', () => {
  test('a PIX charge has a payload that can be paid', async () => {
    const { provider, chargeOrder, ok, day } = await connect();
    const order = await chargeOrder();
    const charge = await chargesOf(provider).create(order, patient);
    expect(pixPayloadError(charge.artifact.pix?.payload ?? '', 10_000)).toBeUndefined();
    expect(charge.artifact.boleto).toBeUndefined();
    expect(charge.state).toMatchObject({ status: 'open', feeMinor: undefined, availableOn: undefined });
    expect(await ok('GET', `/payments/${charge.providerReference}`)).toMatchObject({
      billingType: 'PIX',
      value: 100,
      dueDate: await day(),
      description: 'Consultoria',
      externalReference: order.reference,
    });
  });

  test('a boleto has its two numbers and a PDF of Asaas', async () => {
    const { provider, chargeOrder } = await connect();
    const { artifact } = await chargesOf(provider).create(await chargeOrder({ method: 'boleto' }), patient);
    const { boleto } = artifact;
    expect(boleto && boletoError(boleto, 10_000)).toBeUndefined();
    expect(artifact.pix).toBeUndefined();
    const pdf = await fetchProviderFile(provider, boleto?.pdfUrl ?? '', patient);
    expect(new TextDecoder().decode(pdf.subarray(0, 4))).toBe('%PDF');
  });

  test('a bolepix has both', async () => {
    const { provider, chargeOrder } = await connect();
    const { artifact } = await chargesOf(provider).create(await chargeOrder({ method: 'bolepix' }), patient);
    expect(artifact.boleto?.digitableLine).toMatch(/^\d{47}$/);
    expect(artifact.pix?.payload).toMatch(/^000201/);
  });

  test('a card is paid on a page that redirects to return_url', async () => {
    const { provider, chargeOrder, asaas, account } = await connect();
    const order = await chargeOrder({ method: 'card', returnUrl: 'https://shop.example/thanks' });
    const { artifact } = await chargesOf(provider).create(order, patient);
    expect(artifact.checkout?.url).toMatch(/^http/);
    const { payments } = await asaas.control.account(account.id);
    expect(payments[0]?.callback).toMatchObject({ successUrl: 'https://shop.example/thanks' });
  });

  test('if Asaas rejects the return URL, the page is created without it', async () => {
    const { provider, chargeOrder, asaas, account } = await connect({
      account: { options: { callbacks: false } },
    });
    const order = await chargeOrder({ method: 'card', returnUrl: 'https://shop.example/thanks' });
    const { artifact } = await chargesOf(provider).create(order, patient);
    expect(artifact.checkout?.url).toMatch(/^http/);
    const { payments } = await asaas.control.account(account.id);
    expect(payments.map(({ callback }) => callback)).toEqual([null]);
  });

  test.each([
    ['bad_crc', 'pix'],
    ['bad_digit', 'boleto'],
    ['wrong_amount', 'boleto'],
    ['wrong_amount', 'bolepix'],
  ] as const)('with %s, a %s is rejected and deleted at Asaas', async (artifacts, method) => {
    const { provider, chargeOrder, asaas, account } = await connect({ account: { options: { artifacts } } });
    const order = await chargeOrder({ method });
    await expect(chargesOf(provider).create(order, patient)).rejects.toBeInstanceOf(ProviderRejected);
    const { payments } = await asaas.control.account(account.id);
    expect(payments.map(({ deleted }) => deleted)).toEqual([true]);
    expect(await chargesOf(provider).find(order, patient)).toBeUndefined();
  });
});

test('a deleted charge does not exist, even if lists contain it', async () => {
  const { provider, chargeOrder } = await connect({ account: { options: { listsShowDeleted: true } } });
  const order = await chargeOrder();
  const { providerReference } = await chargesOf(provider).create(order, patient);
  await chargesOf(provider).cancel(order, patient);
  expect(await chargesOf(provider).find(order, patient)).toBeUndefined();
  expect(await chargesOf(provider).find({ ...order, providerReference }, patient)).toMatchObject({
    artifact: {},
    state: { status: 'canceled' },
  });
});

describe('customers', () => {
  test("one per tax number of a tenant, with Asaas' notifications turned off", async () => {
    const { provider, chargeOrder, ok } = await connect({ tenantId: 'ten_7' });
    await chargesOf(provider).create(await chargeOrder(), patient);
    await chargesOf(provider).create(await chargeOrder(), patient);
    const company = { ...ANA, name: 'Lima ME', tax_id: '11222333000181', phone: '+551132654321' };
    await chargesOf(provider).create(await chargeOrder({ customer: company }), patient);
    const { data } = await ok('GET', '/customers');
    expect(data).toMatchObject([
      { name: 'Lima ME', cpfCnpj: '11222333000181', phone: '1132654321' },
      {
        name: 'Ana Lima',
        cpfCnpj: '24971563792',
        mobilePhone: '11987654321',
        externalReference: 'ten_7-24971563792',
        notificationDisabled: true,
      },
    ]);
  });

  test('changed data is sent, unchanged data is not', async () => {
    const { provider, chargeOrder, asaas, account, ok } = await connect();
    const puts = async () => (await asaas.control.requests({ method: 'PUT', account: account.id })).length;
    await chargesOf(provider).create(await chargeOrder(), patient);
    await chargesOf(provider).create(await chargeOrder(), patient);
    expect(await puts()).toBe(0);
    const moved = { ...ANA, email: 'ana@outra.example' };
    await chargesOf(provider).create(await chargeOrder({ customer: moved }), patient);
    expect((await ok('GET', '/customers')).data).toMatchObject([{ email: 'ana@outra.example' }]);
    expect(await puts()).toBe(1);
  });

  test.each([undefined, '12345678901'])('a tax number of %s is reported', async (tax_id) => {
    const { provider, chargeOrder, account } = await connect();
    const order = await chargeOrder({ customer: { ...ANA, tax_id } });
    const refused = chargesOf(provider).create(order, patient);
    await expect(refused).rejects.toBeInstanceOf(InvalidOrder);
    await expect(refused).rejects.toMatchObject({ faults: [{ field: 'customer.tax_id' }] });
    expect(await posts('/v3/*', account.id)).toBe(0);
  });
});

describe('faults', () => {
  test.each(['cut_after', 'error_after'] as const)('%s: the charge exists and is found', async (kind) => {
    const { provider, chargeOrder, asaas, account } = await connect();
    const order = await chargeOrder();
    await asaas.control.fault({ kind, method: 'POST', path: '/v3/payments', account: account.id });
    await expect(chargesOf(provider).create(order, patient)).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    const found = await chargesOf(provider).find(order, patient);
    expect(found?.artifact.pix?.payload).toMatch(/^000201/);
    expect(await posts('/v3/payments', account.id)).toBe(1);
  });

  test.each([
    ['rate_limited', 429],
    ['error_before', 401],
  ] as const)(
    '%s after the charge was created does not claim that nothing was done',
    async (kind, status) => {
      const { provider, chargeOrder, account } = await connect();
      const order = await chargeOrder();
      await asaas.control.fault({ kind, status, path: '/v3/payments/*/pixQrCode', account: account.id });
      await expect(chargesOf(provider).create(order, patient)).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
      expect(await chargesOf(provider).find(order, patient)).toBeDefined();
    },
  );

  test('an invalid artifact whose deletion fails is looked up again', async () => {
    const { provider, chargeOrder, asaas, account } = await connect({
      account: { options: { artifacts: 'bad_crc' } },
    });
    const order = await chargeOrder();
    await asaas.control.fault({ kind: 'error_before', method: 'DELETE', account: account.id });
    await expect(chargesOf(provider).create(order, patient)).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    await expect(chargesOf(provider).find(order, patient)).rejects.toBeInstanceOf(ProviderRejected);
    expect((await asaas.control.account(account.id)).payments.map(({ deleted }) => deleted)).toEqual([true]);
  });

  test('a charge that was never accepted is not found', async () => {
    const { provider, chargeOrder, asaas, account } = await connect();
    const order = await chargeOrder();
    await asaas.control.fault({
      kind: 'cut_before',
      method: 'POST',
      path: '/v3/payments',
      account: account.id,
    });
    await expect(chargesOf(provider).create(order, patient)).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    expect(await chargesOf(provider).find(order, patient)).toBeUndefined();
    expect(await chargesOf(provider).read(order, patient)).toBeUndefined();
  });

  test('too many requests, with the time of the next attempt', async () => {
    const { provider, chargeOrder, asaas, account } = await connect();
    await asaas.control.fault({ kind: 'rate_limited', account: account.id });
    const busy = chargesOf(provider).create(await chargeOrder(), patient);
    await expect(busy).rejects.toBeInstanceOf(ProviderBusy);
    await expect(busy).rejects.toMatchObject({ retryAfterSeconds: expect.any(Number) });
  });

  test('a rejected key', async () => {
    const { provider, chargeOrder, asaas, account } = await connect();
    await asaas.control.key(account.id, account.apiKey, { enabled: false });
    await expect(chargesOf(provider).create(await chargeOrder(), patient)).rejects.toBeInstanceOf(
      ProviderKeyRejected,
    );
  });

  test('a rejection has the message of Asaas', async () => {
    const { provider, chargeOrder } = await connect({ account: { options: { minCharge: 500 } } });
    const refused = chargesOf(provider).create(await chargeOrder({ amountMinor: 100 }), patient);
    await expect(refused).rejects.toBeInstanceOf(ProviderRejected);
    await expect(refused).rejects.toThrow(/valor da cobrança/);
  });

  test('nothing is sent once the caller stopped waiting', async () => {
    const { provider, chargeOrder, account } = await connect();
    await expect(chargesOf(provider).create(await chargeOrder(), AbortSignal.abort())).rejects.toThrow();
    expect(await posts('/v3/*', account.id)).toBe(0);
  });

  test('a charge is found on the second page, too', async () => {
    const { provider, chargeOrder, charge, asaas, account } = await connect();
    const order = await chargeOrder();
    const { providerReference } = await chargesOf(provider).create(order, patient);
    for (let n = 0; n < 101; n++) await charge({ externalReference: order.reference });
    await asaas.control.pay(account.id, providerReference);
    expect(await chargesOf(provider).read(order, patient)).toMatchObject({
      providerReference,
      state: { status: 'paid' },
    });
  });
});

describe('canceling', () => {
  test('deletes an open charge, repeatedly', async () => {
    const { provider, chargeOrder, asaas, account } = await connect();
    const order = await chargeOrder();
    const { providerReference } = await chargesOf(provider).create(order, patient);
    expect(await chargesOf(provider).cancel({ ...order, providerReference }, patient)).toBe(true);
    expect(await chargesOf(provider).cancel({ ...order, providerReference }, patient)).toBe(true);
    const { payments } = await asaas.control.account(account.id);
    expect(payments.map(({ deleted }) => deleted)).toEqual([true]);
    const report = await chargesOf(provider).read({ ...order, providerReference }, patient);
    expect(report?.state.status ?? 'canceled').toBe('canceled');
  });

  test('deletes a charge that only our reference identifies', async () => {
    const { provider, chargeOrder, asaas, account } = await connect();
    const order = await chargeOrder();
    await chargesOf(provider).create(order, patient);
    expect(await chargesOf(provider).cancel(order, patient)).toBe(true);
    const { payments } = await asaas.control.account(account.id);
    expect(payments.map(({ deleted }) => deleted)).toEqual([true]);
  });

  test('is too late for a paid charge', async () => {
    const { provider, chargeOrder, asaas, account } = await connect();
    const order = await chargeOrder();
    const { providerReference } = await chargesOf(provider).create(order, patient);
    await asaas.control.pay(account.id, providerReference);
    expect(await chargesOf(provider).cancel({ ...order, providerReference }, patient)).toBe(false);
    expect(await chargesOf(provider).cancel(order, patient)).toBe(false);
  });

  test('succeeds for an unknown charge', async () => {
    const { provider, chargeOrder } = await connect();
    expect(await chargesOf(provider).cancel(await chargeOrder(), patient)).toBe(true);
    const unknown = await chargeOrder({ providerReference: 'pay_1_AAAAAAAAAAAAAA' });
    expect(await chargesOf(provider).cancel(unknown, patient)).toBe(true);
    expect(await chargesOf(provider).read(unknown, patient)).toBeUndefined();
  });

  test('deletes an overdue charge, too', async () => {
    const { provider, chargeOrder, asaas, account } = await connect();
    const order = await chargeOrder({ method: 'boleto' });
    const { providerReference } = await chargesOf(provider).create(order, patient);
    await asaas.control.payment(account.id, providerReference, 'overdue');
    expect(await chargesOf(provider).cancel({ ...order, providerReference }, patient)).toBe(true);
  });
});

test('the days of Asaas are days in São Paulo', () => {
  const late = new Date('2026-11-22T02:30:00Z');
  expect(dayInSaoPaulo(late)).toBe('2026-11-21');
  expect(dayBefore(late)).toBe('2026-11-20');
  expect(dayInSaoPaulo(new Date('2026-11-22T03:00:00Z'))).toBe('2026-11-22');
});
