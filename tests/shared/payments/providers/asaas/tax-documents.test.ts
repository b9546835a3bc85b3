import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Asaas, startAsaas } from '../../../../../local/providers/asaas/index.ts';
import { dayBefore } from '../../../../../shared/payments/formats/sao-paulo.ts';
import type { FiscalCodeKind } from '../../../../../shared/payments/providers/accounts.ts';
import { fetchFile } from '../../../../../shared/payments/providers/asaas/files.ts';
import { fiscalSettings, municipalService } from '../../../../../shared/payments/providers/asaas/settings.ts';
import { taxDocumentReport } from '../../../../../shared/payments/providers/asaas/states.ts';
import {
  InvalidOrder,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../../../../../shared/payments/providers/errors.ts';
import {
  chargesOf,
  fetchProviderFile,
  taxDocumentsOf,
} from '../../../../../shared/payments/providers/provider.ts';
import type { TaxDocumentOrder } from '../../../../../shared/payments/providers/tax-document-port.ts';
import { startAsaasForTest } from '../../../../support/payments/asaas.ts';
import { ANA, connectAsaas, patient } from '../../../../support/payments/asaas-provider.ts';

let asaas: Asaas;
beforeAll(async () => {
  asaas = (await startAsaasForTest()).asaas;
});
afterAll(() => asaas.stop());

const SETTINGS = {
  municipal_service_code: '17.01',
  municipal_service_name: 'Assessoria',
  services: { training: { code: '8.02', name: 'Treinamento' }, listed: { id: '42' } },
  observations: 'Lei 12.741',
  deductions: 10,
};

const connect = (options = {}) => connectAsaas(asaas, { settings: SETTINGS, account: { options } });

async function issued(options = {}) {
  const connected = await connect(options);
  const { provider, taxDocumentOrder } = connected;
  const order = await taxDocumentOrder({ taxes: { retain_iss: true, iss: 2.5 } });
  const begun = await taxDocumentsOf(provider).issue(order, patient);
  const known = { ...order, providerReference: begun.providerReference };
  await asaas.control.advance({ seconds: 3 });
  return { ...connected, order: known, begun, read: () => taxDocumentsOf(provider).find(known, patient) };
}

describe('issuing', () => {
  test('is requested immediately, and completed by the city later', async () => {
    const { begun, read, provider, account, order } = await issued();
    expect(begun).toMatchObject({ status: 'pending', issued: undefined });
    const report = await read();
    expect(report).toMatchObject({
      status: 'issued',
      issued: { number: '1', accessKey: expect.stringMatching(/^\w{8}$/) },
    });
    const { invoices } = await asaas.control.account(account.id);
    expect(invoices).toMatchObject([
      {
        value: 10_000,
        externalReference: order.reference,
        effectiveDate: order.effectiveOn,
        taxes: { retainIss: true, iss: 2.5, pis: 0, cofins: 0, csll: 0, inss: 0, ir: 0 },
        details: {
          serviceDescription: 'Consultoria de vendas',
          observations: 'Lei 12.741',
          deductions: 10,
          municipalServiceCode: '17.01',
          municipalServiceName: 'Assessoria',
        },
      },
    ]);
    const files = report?.issued;
    const text = async (url = '') =>
      new TextDecoder().decode(await fetchProviderFile(provider, url, patient));
    expect(await text(files?.pdfUrl)).toMatch(/^%PDF/);
    expect(await text(files?.xmlUrl)).toMatch(/^</);
  });

  test('is dated today in São Paulo if the day of a tenant further west has not ended', async () => {
    const current = await startAsaas();
    onTestFinished(() => current.stop());
    const { provider, taxDocumentOrder, account } = await connectAsaas(current, { settings: SETTINGS });
    const yesterday = dayBefore(new Date());
    await taxDocumentsOf(provider).issue({ ...(await taxDocumentOrder()), effectiveOn: yesterday }, patient);
    const { invoices } = await current.control.account(account.id);
    expect(invoices.map(({ effectiveDate }) => effectiveDate > yesterday)).toEqual([true]);
  });

  test('is linked to the payment if the same account has it, without creating a customer', async () => {
    const { provider, taxDocumentOrder, chargeOrder, account } = await connect();
    const order = await chargeOrder();
    const { providerReference } = await chargesOf(provider).create(order, patient);
    const charge = { reference: order.reference, providerReference };
    await taxDocumentsOf(provider).issue(await taxDocumentOrder({ charge }), patient);
    const { invoices } = await asaas.control.account(account.id);
    expect(invoices).toMatchObject([{ payment: providerReference }]);
  });

  test('is requested once, regardless of the number of attempts', async () => {
    const { provider, taxDocumentOrder, account } = await connect();
    const order = await taxDocumentOrder();
    const first = await taxDocumentsOf(provider).issue(order, patient);
    const second = await taxDocumentsOf(provider).issue(order, patient);
    expect(second.providerReference).toBe(first.providerReference);
    expect((await asaas.control.account(account.id)).invoices).toHaveLength(1);
  });

  test('after a lost response: it is found, and submitted to the city', async () => {
    const { provider, taxDocumentOrder, account } = await connect();
    const order = await taxDocumentOrder();
    const fault = { kind: 'cut_after', method: 'POST', account: account.id } as const;
    await asaas.control.fault({ ...fault, path: '/v3/invoices' });
    await expect(taxDocumentsOf(provider).issue(order, patient)).rejects.toBeInstanceOf(
      ProviderOutcomeUnknown,
    );
    await taxDocumentsOf(provider).issue(order, patient);
    await asaas.control.advance({ seconds: 3 });
    expect(await taxDocumentsOf(provider).find(order, patient)).toMatchObject({ status: 'issued' });
    expect((await asaas.control.account(account.id)).invoices).toHaveLength(1);
  });

  test('the city rejects it with its message', async () => {
    const { read } = await issued({ invoices: 'error', invoiceError: 'E0312: recusada.' });
    expect(await read()).toMatchObject({ status: 'failed', reason: 'E0312: recusada.' });
  });

  test('without a payment, the customer needs a tax number', async () => {
    const { provider, taxDocumentOrder } = await connect();
    const order = await taxDocumentOrder({ customer: { ...ANA, tax_id: undefined } });
    await expect(taxDocumentsOf(provider).issue(order, patient)).rejects.toBeInstanceOf(InvalidOrder);
  });
});

describe('taxes', () => {
  const CODES = {
    nbs_code: '115021000',
    tax_situation_code: '000',
    tax_classification_code: '000001',
    operation_indicator_code: '100301',
  };
  const sentTaxes = async (taxes: TaxDocumentOrder['taxes'], settings = {}) => {
    const { provider, taxDocumentOrder, account } = await connectAsaas(asaas, {
      settings,
      account: { options: { simplesNacional: false } },
    });
    await taxDocumentsOf(provider).issue(await taxDocumentOrder({ taxes }), patient);
    const path = '/v3/invoices';
    const [request] = await asaas.control.requests({ method: 'POST', path, account: account.id });
    return Object(request?.body).taxes;
  };

  // The emulator validates each situation according to its own reading of the documentation.
  test.each([
    ['00', 'NONE', null],
    ['01', 'STANDARD_TAXABLE_OPERATION', 0.65],
    ['02', 'DIFFERENTIATED_RATE_TAXABLE_OPERATION', 0.65],
    ['03', 'TAXABLE_PER_MEASURE_UNIT_OPERATION', null],
    ['04', 'MONOPHASIC_RESALE_ZERO_RATE_OPERATION', null],
    ['05', 'TAX_SUBSTITUTION_OPERATION', null],
    ['06', 'ZERO_RATE_TAXABLE_OPERATION', 0],
    ['07', 'EXEMPT_CONTRIBUTION_OPERATION', null],
    ['08', 'NON_TAXABLE_OPERATION', null],
    ['09', 'TAX_SUSPENSION_OPERATION', null],
    ['49', 'OTHER_OUTPUT_OPERATION', null],
    ['99', 'OTHER_OPERATION', null],
  ])('CST %s is %s with the rate %s', async (cst, pisCofinsTaxStatus, rate) => {
    const rates = rate === 0.65 ? { operation_pis: 0.65, operation_cofins: 0.65 } : {};
    expect(await sentTaxes({ ...CODES, ...rates, pis_cofins_cst: cst })).toEqual({
      ...{ retainIss: false, iss: 0, pis: 0, cofins: 0, csll: 0, inss: 0, ir: 0 },
      ...{ pisCofinsTaxStatus, operationPis: rate, operationCofins: rate },
      nbsCode: '115021000',
      taxSituationCode: '000',
      taxClassificationCode: '000001',
      operationIndicatorCode: '100301',
    });
  });

  test('the NBS code has dots if the account is set to that', async () => {
    const taxes = await sentTaxes({ ...CODES, pis_cofins_cst: '07' }, { nbs_code_format: 'dotted' });
    expect(taxes.nbsCode).toBe('1.1502.10.00');
  });

  test('what Asaas calculates is reported in minor units', async () => {
    const { provider, taxDocumentOrder } = await connect();
    const order = await taxDocumentOrder({ amountMinor: 12_345, taxes: CODES });
    await taxDocumentsOf(provider).issue(order, patient);
    await asaas.control.advance({ seconds: 3 });
    expect((await taxDocumentsOf(provider).find(order, patient))?.issued?.taxes).toEqual({
      ...{ state_ibs_percent: 0.1, state_ibs_amount: 12 },
      ...{ municipal_ibs_percent: 0, municipal_ibs_amount: 0 },
      ...{ cbs_percent: 0.9, cbs_amount: 111 },
    });
  });

  test("the customer's address is sent to Asaas, and an existing one is not cleared", async () => {
    const { provider, taxDocumentOrder, account } = await connect();
    const address = {
      line1: 'Rua A',
      number: '1',
      district: 'Centro',
      city: 'Recife',
      postal_code: '50030-230',
    };
    const issue = async (customer: TaxDocumentOrder['customer']) =>
      taxDocumentsOf(provider).issue(await taxDocumentOrder({ customer }), patient);
    await issue({ ...ANA, address });
    await issue({ ...ANA, address });
    await issue(ANA);
    const { customers } = await asaas.control.account(account.id);
    expect(customers).toMatchObject([
      {
        details: {
          address: 'Rua A',
          addressNumber: '1',
          province: 'Centro',
          postalCode: '50030230',
        },
      },
    ]);
    expect(await asaas.control.requests({ method: 'PUT', account: account.id })).toHaveLength(0);
  });

  test('a list of codes is read to its end, or to its twentieth page', async () => {
    const { provider, account } = await connect({ moreNbsCodes: 150 });
    const read = async (kind: FiscalCodeKind) => provider.readFiscalCodes?.(kind, patient);
    expect((await read('nbs_code'))?.codes).toHaveLength(153);
    expect(await read('tax_situation_code')).toMatchObject({
      codes: [{ code: '000', description: 'Tributação integral' }, {}, {}],
      isComplete: true,
    });
    await asaas.control.options(account.id, { moreNbsCodes: 2000 });
    const long = await read('nbs_code');
    expect([long?.codes.length, long?.isComplete]).toEqual([2000, false]);
  });
});

describe('canceling', () => {
  test('is requested, and the city agrees later', async () => {
    const { provider, order, read } = await issued();
    expect(await taxDocumentsOf(provider).cancel(order, patient)).toMatchObject({
      status: 'issued',
      cancelPending: true,
    });
    expect(await taxDocumentsOf(provider).cancel(order, patient)).toMatchObject({ cancelPending: true });
    await asaas.control.advance({ seconds: 3 });
    expect(await read()).toMatchObject({ status: 'canceled', cancelPending: false });
    expect(await taxDocumentsOf(provider).cancel(order, patient)).toMatchObject({ status: 'canceled' });
  });

  test('the city refuses, and is not asked twice', async () => {
    const { provider, order, read, account } = await issued({
      cancellations: 'denied',
      cancellationError: 'E0840: prazo.',
    });
    await taxDocumentsOf(provider).cancel(order, patient);
    await asaas.control.advance({ seconds: 3 });
    const denied = { status: 'issued', cancelPending: false, cancelRejectionMessage: 'E0840: prazo.' };
    expect(await read()).toMatchObject(denied);
    expect(await taxDocumentsOf(provider).cancel(order, patient)).toMatchObject(denied);
    const asked = await asaas.control.requests({
      method: 'POST',
      path: '/v3/invoices/*/cancel',
      account: account.id,
    });
    expect(asked).toHaveLength(1);
  });

  test('a city that does not support cancellations is not asked', async () => {
    const { provider, order, account } = await issued({ supportsCancellation: false });
    const report = await taxDocumentsOf(provider).cancel(order, patient);
    expect(report).toMatchObject({
      status: 'issued',
      cancelRejectionMessage: expect.stringContaining('municipality'),
    });
    const asked = await asaas.control.requests({
      method: 'POST',
      path: '/v3/invoices/*/cancel',
      account: account.id,
    });
    expect(asked).toHaveLength(0);
  });

  test('while the city processes it, reports why it cannot be canceled', async () => {
    const { provider, order } = await issued({ invoices: 'held' });
    expect(await taxDocumentsOf(provider).cancel(order, patient)).toMatchObject({
      status: 'pending',
      cancelRejectionMessage: expect.stringContaining('cancelada'),
    });
  });

  test('a document that Asaas does not know', async () => {
    const { provider, taxDocumentOrder } = await connect();
    const unknown = await taxDocumentOrder({ providerReference: 'inv_000000000001' });
    expect(await taxDocumentsOf(provider).find(unknown, patient)).toBeUndefined();
    await expect(taxDocumentsOf(provider).cancel(unknown, patient)).rejects.toBeInstanceOf(ProviderRejected);
  });
});

describe('files', () => {
  test.each([
    ['redirect', /does not belong to Asaas/],
    ['html', /neither PDF nor XML/],
    ['large', /too large/],
  ] as const)('rejects %s instead of a PDF', async (files, words) => {
    const { read, provider } = await issued({ files });
    const { pdfUrl = '' } = (await read())?.issued ?? {};
    const refused = fetchProviderFile(provider, pdfUrl, patient);
    await expect(refused).rejects.toBeInstanceOf(ProviderRejected);
    await expect(refused).rejects.toThrow(words);
  });

  test.each([
    ['%PDF-1.7', true],
    ['<?xml version="1.0"?>', true],
    ['<NFSe/>', true],
    ['<!DOCTYPE html>', false],
    ['<html>', false],
    ['PK', false],
    ['', false],
  ])('a file that begins with %s', async (start, taken) => {
    const server = createServer((_, response) => response.end(start));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    // The address of a server that listens on a port has this type.
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fetched = fetchFile(`${base}/v3`, `${base}/a`, patient);
    if (taken) expect(new TextDecoder().decode(await fetched)).toBe(start);
    else await expect(fetched).rejects.toBeInstanceOf(ProviderRejected);
    server.close();
  });

  test.each([
    'http://www.asaas.com/a.pdf',
    'https://asaas.com.evil.example/a.pdf',
    'https://evilasaas.com/a.pdf',
    'https://user@www.asaas.com/a.pdf',
    'https://www.asaas.com:8443/a.pdf',
    'http://169.254.169.254/',
    'file:///etc/passwd',
    'not an address',
  ])('%s is not a URL of Asaas', async (url) => {
    const { provider } = await connect();
    await expect(fetchProviderFile(provider, url, patient)).rejects.toThrow(/does not belong to Asaas/);
  });
});

test("the city's service: by our code, otherwise the account's, otherwise the code itself", () => {
  const set = fiscalSettings(SETTINGS);
  expect(municipalService(set, 'training')).toEqual({
    municipalServiceCode: '8.02',
    municipalServiceName: 'Treinamento',
  });
  expect(municipalService(set, 'listed')).toEqual({
    municipalServiceId: '42',
    municipalServiceName: 'listed',
  });
  expect(municipalService(set, 'other')).toMatchObject({ municipalServiceCode: '17.01' });
  expect(municipalService(set, 'constructor')).toEqual(municipalService(set, 'other'));
  expect(municipalService(fiscalSettings({ observations: null }), '1.05')).toEqual({
    municipalServiceCode: '1.05',
    municipalServiceName: '1.05',
  });
});

test('undocumented states claim nothing, and those of older documentation are known', () => {
  const base = { id: 'inv_1' };
  const files = {
    number: '7',
    validationCode: 'ABC',
    pdfUrl: 'https://www.asaas.com/a',
    xmlUrl: 'https://www.asaas.com/b',
  };
  for (const status of [
    'SYNCHRONIZED',
    'WAITING_OVERDUE_PAYMENT',
    'PENDING',
    'NONE',
    'BRAND_NEW',
    'AUTHORIZED',
  ])
    expect(taxDocumentReport({ ...base, status }).status).toBe('pending');
  expect(taxDocumentReport({ ...base, ...files, status: 'BRAND_NEW' }).status).toBe('issued');
  expect(taxDocumentReport({ ...base, ...files, status: 'CANCELLED' }).status).toBe('canceled');
});
