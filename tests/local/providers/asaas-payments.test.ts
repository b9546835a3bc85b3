// Charges in the Asaas emulator: formats as captured from the real sandbox, states, artifacts, lists.
import { getBoletoInfo } from '@brazilian-utils/brazilian-utils/get-boleto-info';
import { isValidBoleto } from '@brazilian-utils/brazilian-utils/is-valid-boleto';
import { isValidPixPayload } from '@brazilian-utils/brazilian-utils/is-valid-pix-payload';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boletoNumbers } from '../../../local/providers/asaas/boleto.ts';
import { addDays } from '../../../local/providers/days.ts';
import { type AsaasClient, asaasClient, startAsaasForTest } from '../../support/payments/asaas.ts';

let client: AsaasClient;
beforeAll(async () => {
  client = await startAsaasForTest();
});
afterAll(() => client.asaas.stop());

const codesOf = ({ body }: { body: { errors: { code: string }[] } }) => body.errors.map(({ code }) => code);

test('returns a customer with the members and nulls of the real API', async () => {
  const order = { email: 'ana@demo.example', mobilePhone: '47996321478', externalReference: 'ref-1' };
  const customer = await client.customer(order);
  expect(customer).toEqual({
    object: 'customer',
    id: expect.stringMatching(/^cus_\d{12}$/),
    dateCreated: await client.day(),
    name: 'Ana Lima',
    email: 'ana@demo.example',
    company: null,
    phone: null,
    mobilePhone: '47996321478',
    address: null,
    addressNumber: null,
    complement: null,
    province: null,
    postalCode: null,
    cpfCnpj: '24971563792',
    personType: 'FISICA',
    deleted: false,
    additionalEmails: null,
    externalReference: 'ref-1',
    notificationDisabled: false,
    observations: null,
    municipalInscription: null,
    stateInscription: null,
    canDelete: true,
    cannotBeDeletedReason: null,
    canEdit: true,
    cannotEditReason: null,
    city: null,
    cityName: null,
    state: null,
    country: 'Brasil',
  });
  await client.ok('PUT', `/customers/${customer.id}`, { notificationDisabled: true });
  const found = await client.ok('GET', '/customers?externalReference=ref-1');
  expect(found.data).toMatchObject([
    { id: customer.id, notificationDisabled: true, email: 'ana@demo.example' },
  ]);
});

test('returns a Pix charge with the members and nulls of the real API', async () => {
  const payment = await client.charge({ description: 'Pix' });
  const short = payment.id.replace(/^pay_[1-9]_/, '');
  expect(payment).toEqual({
    object: 'payment',
    id: expect.stringMatching(/^pay_[1-9]_[a-zA-Z0-9]{14}$/),
    dateCreated: await client.day(),
    customer: payment.customer,
    checkoutSession: null,
    paymentLink: null,
    value: 100,
    netValue: 98.01,
    originalValue: null,
    interestValue: null,
    description: 'Pix',
    billingType: 'PIX',
    pixTransaction: null,
    status: 'PENDING',
    dueDate: await client.day(5),
    originalDueDate: await client.day(5),
    paymentDate: null,
    clientPaymentDate: null,
    installmentNumber: null,
    invoiceUrl: expect.stringMatching(`/000/i/${short}$`),
    invoiceNumber: expect.stringMatching(/^\d+$/),
    externalReference: null,
    deleted: false,
    anticipated: false,
    anticipable: false,
    creditDate: null,
    estimatedCreditDate: null,
    transactionReceiptUrl: null,
    nossoNumero: null,
    bankSlipUrl: null,
    lastInvoiceViewedDate: null,
    lastBankSlipViewedDate: null,
    discount: { value: 0, limitDate: null, dueDateLimitDays: 0, type: 'FIXED' },
    fine: { value: 0, type: 'FIXED' },
    interest: { value: 0, type: 'PERCENTAGE' },
    postalService: false,
    escrow: null,
    refunds: null,
  });
});

test('has captured net values, and the additional members of boletos and cards', async () => {
  const fine = { value: 2, type: 'PERCENTAGE' };
  const boleto = await client.charge({ billingType: 'BOLETO', value: 350, fine, interest: { value: 1 } });
  expect(boleto).toMatchObject({
    netValue: 348.01,
    canBePaidAfterDueDate: true,
    fine,
    interest: { value: 1 },
  });
  expect(boleto.nossoNumero).toMatch(/^\d{8}$/);
  const card = await client.charge({ billingType: 'CREDIT_CARD' });
  expect(card).toMatchObject({ netValue: 96.52, confirmedDate: null, creditCard: null });
});

test('assigns ids of the old format to accounts that use them', async () => {
  const old = await asaasClient(client.asaas, { options: { idFormat: 'old', publicPaths: 'old' } });
  const payment = await old.charge();
  expect(payment.id).toMatch(/^pay_[a-z0-9]{16}$/);
  expect(new URL(payment.invoiceUrl).pathname).toMatch(/^\/i\//);
});

test('rejects what the real API rejects', async () => {
  const wrongCpf = await client.call('POST', '/customers', { name: 'X', cpfCnpj: '11111111111' });
  expect([wrongCpf.status, wrongCpf.body]).toEqual([
    400,
    { errors: [{ code: 'invalid_object', description: 'O CPF/CNPJ informado é inválido.' }] },
  ]);
  const empty = await client.call('POST', '/payments', {});
  expect(empty.body).toEqual({
    errors: [{ code: 'invalid_customer', description: 'Customer inválido ou não informado.' }],
  });
  const { id: customer } = await client.customer();
  const order = { customer, billingType: 'PIX', value: 100, dueDate: await client.day() };
  const wrong: [string, object][] = [
    ['invalid_billingType', { billingType: 'pix' }],
    ['invalid_value', { value: '100' }],
    ['invalid_value', { value: 10.001 }],
    ['invalid_value', { value: 4.99 }],
    ['invalid_dueDate', { dueDate: await client.day(-1) }],
    ['invalid_dueDate', { dueDate: '2026-02-30' }],
    ['invalid_dueDate', { dueDate: undefined }],
    ['invalid_description', { description: 'x'.repeat(501) }],
    ['invalid_callback.successUrl', { callback: { autoRedirect: true } }],
  ];
  for (const [code, change] of wrong) {
    const answer = await client.call('POST', '/payments', { ...order, ...change });
    expect([answer.status, codesOf(answer)]).toEqual([400, [code]]);
  }
  expect((await client.call('GET', '/payments/pay_unknown')).status).toBe(404);
});

test('lists newest first, ten by default and at most a hundred, by filters', async () => {
  const own = await asaasClient(client.asaas);
  for (let number = 1; number <= 12; number++) await own.charge({ externalReference: `ref-${number}` });
  const first = await own.ok('GET', '/payments');
  expect(first).toMatchObject({ object: 'list', hasMore: true, totalCount: 12, limit: 10, offset: 0 });
  expect(first.data[0].externalReference).toBe('ref-12');
  const rest = await own.ok('GET', '/payments?offset=10&limit=100');
  expect(rest.data.map((payment: { externalReference: string }) => payment.externalReference)).toEqual([
    'ref-2',
    'ref-1',
  ]);
  expect((await own.call('GET', '/payments?limit=101')).status).toBe(400);
  expect((await own.ok('GET', '/payments?externalReference=ref-7')).totalCount).toBe(1);
  const tomorrow = await own.day(1);
  expect((await own.ok('GET', `/payments?dateCreated[ge]=${tomorrow}`)).totalCount).toBe(0);
  expect((await own.ok('GET', `/payments?dateCreated[le]=${tomorrow}&status=PENDING`)).totalCount).toBe(12);
});

test('deletes only pending or overdue charges, and restores them', async () => {
  const payment = await client.charge();
  expect(await client.ok('DELETE', `/payments/${payment.id}`)).toEqual({ deleted: true, id: payment.id });
  expect(await client.ok('GET', `/payments/${payment.id}`)).toMatchObject({
    deleted: true,
    status: 'PENDING',
  });
  expect((await client.ok('POST', `/payments/${payment.id}/restore`)).deleted).toBe(false);
  await client.asaas.control.pay(client.account.id, payment.id);
  const refused = await client.call('DELETE', `/payments/${payment.id}`);
  expect([refused.status, codesOf(refused)]).toEqual([400, ['invalid_action']]);
});

test('returns a Pix code that banks can read, for boletos too, and none for cards', async () => {
  for (const billingType of ['PIX', 'BOLETO']) {
    const { id, dueDate } = await client.charge({ billingType });
    const code = await client.ok('GET', `/payments/${id}/pixQrCode`);
    expect(isValidPixPayload(code.payload)).toBe(true);
    expect(code.expirationDate).toMatch(/^\d{4}-\d\d-\d\d 23:59:59$/);
    expect(code.expirationDate > dueDate).toBe(true);
    expect(Buffer.from(code.encodedImage, 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect(await client.ok('GET', `/payments/${id}/pixQrCode`)).toEqual(code);
  }
  const card = await client.charge({ billingType: 'CREDIT_CARD' });
  expect((await client.call('GET', `/payments/${card.id}/pixQrCode`)).status).toBe(400);
});

test('returns a code that is valid for a day to an account without a Pix key', async () => {
  const keyless = await asaasClient(client.asaas, { options: { pixKey: false } });
  const { id } = await keyless.charge();
  const code = await keyless.ok('GET', `/payments/${id}/pixQrCode`);
  expect(code.expirationDate).toBe(`${await keyless.day()} 23:59:59`);
  expect((await keyless.call('POST', `/sandbox/payment/${id}/confirm`)).status).toBe(404);
  await keyless.ok('POST', '/pix/addressKeys', { type: 'EVP' });
  expect((await keyless.ok('POST', `/sandbox/payment/${id}/confirm`)).status).toBe('RECEIVED');
});

test('returns the numbers of a boleto and its PDF', async () => {
  const { id, dueDate, bankSlipUrl } = await client.charge({ billingType: 'BOLETO', value: 350.5 });
  const numbers = await client.ok('GET', `/payments/${id}/identificationField`);
  expect(numbers.barCode).toMatch(/^\d{44}$/);
  expect(isValidBoleto(numbers.identificationField)).toBe(true);
  const info = getBoletoInfo(numbers.identificationField);
  expect(info).toMatchObject({ amount: 35_050 });
  expect(info?.expirationDate?.toLocaleDateString('sv-SE')).toBe(dueDate);
  const file = await fetch(bankSlipUrl);
  expect(file.headers.get('content-type')).toBe('application/pdf');
  expect((await file.text()).slice(0, 4)).toBe('%PDF');
});

test('generates barcodes by the rule of real ones', () => {
  // Its factor, and both kinds of check digits, of a real slip of Asaas' bank.
  const real = boletoNumbers({ dueDate: '2026-07-24', value: 35_000, nossoNumero: '12745149' });
  expect(real.barCode).toBe('46191151700000350001110000000000001274514901');
  expect(real.identificationField).toBe('46191110000000000000012745149018115170000035000');
});

test('generates numbers whose check digits a library accepts, for any values', () => {
  fc.assert(
    fc.property(
      fc.nat(99_999_999),
      fc.integer({ min: 1, max: 9_999_999 }),
      fc.nat(5000),
      (number, value, days) => {
        const dueDate = addDays('2024-01-01', days);
        const numbers = boletoNumbers({ dueDate, value, nossoNumero: String(number).padStart(8, '0') });
        expect(isValidBoleto(numbers.identificationField)).toBe(true);
      },
    ),
    { seed: 20_261_121 },
  );
});

test('returns wrong codes, numbers and files on request', async () => {
  const wrong = await asaasClient(client.asaas, { options: { artifacts: 'bad_crc' } });
  const { id, bankSlipUrl } = await wrong.charge({ billingType: 'BOLETO', value: 350.5 });
  expect(isValidPixPayload((await wrong.ok('GET', `/payments/${id}/pixQrCode`)).payload)).toBe(false);
  const { control } = client.asaas;
  await control.options(wrong.account.id, { artifacts: 'bad_digit' });
  const line = async () => (await wrong.ok('GET', `/payments/${id}/identificationField`)).identificationField;
  expect(isValidBoleto(await line())).toBe(false);
  await control.options(wrong.account.id, { artifacts: 'wrong_amount' });
  expect(getBoletoInfo(await line())).toMatchObject({ amount: 35_051 });
  await control.options(wrong.account.id, { files: 'redirect' });
  expect((await fetch(bankSlipUrl, { redirect: 'manual' })).status).toBe(302);
  await control.options(wrong.account.id, { files: 'html' });
  expect(await (await fetch(bankSlipUrl)).text()).not.toContain('%PDF');
  await control.options(wrong.account.id, { files: 'large' });
  expect((await (await fetch(bankSlipUrl)).arrayBuffer()).byteLength).toBeGreaterThan(10 * 1024 * 1024);
});

test('redirects payers only to the site of the account', async () => {
  const own = await asaasClient(client.asaas, { options: { site: 'shop.example' } });
  const callback = { successUrl: 'https://pay.shop.example/thanks' };
  await own.charge({ callback });
  await expect(own.charge({ callback: { successUrl: 'https://other.example/' } })).rejects.toThrow('400');
  await client.asaas.control.options(own.account.id, { site: null });
  await expect(own.charge({ callback })).rejects.toThrow('400');
});

test('lets the payer pay on the page, and redirects them', async () => {
  const successUrl = 'http://127.0.0.1/thanks';
  const payment = await client.charge({ billingType: 'CREDIT_CARD', callback: { successUrl } });
  expect(await (await fetch(payment.invoiceUrl)).text()).toContain('CREDIT_CARD');
  const pressed = await fetch(payment.invoiceUrl, {
    method: 'POST',
    body: new URLSearchParams({ action: 'pay', billingType: 'CREDIT_CARD' }),
    redirect: 'manual',
  });
  expect([pressed.status, pressed.headers.get('location')]).toEqual([303, successUrl]);
  const paid = await client.ok('GET', `/payments/${payment.id}`);
  expect(paid.status).toBe('CONFIRMED');
  expect(paid.lastInvoiceViewedDate).not.toBeNull();
});
