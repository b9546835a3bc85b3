// NFS-e at the emulator of Asaas: scheduled, authorized, refused and cancelled by the city.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AsaasClient, asaasClient, startAsaasForTest } from '../../support/payments/asaas.ts';

let client: AsaasClient;
beforeAll(async () => {
  client = await startAsaasForTest();
});
beforeEach(async () => {
  Object.assign(client, await asaasClient(client.asaas, { options: { fees: { invoice: 49 } } }));
});
afterAll(() => client.asaas.stop());

const orderOf = async (change: object = {}) => ({
  payment: (await client.charge()).id,
  serviceDescription: 'Consultoria',
  observations: 'Novembro',
  value: 100,
  deductions: 0,
  effectiveDate: await client.day(),
  municipalServiceCode: '1.01',
  municipalServiceName: 'Consultoria',
  externalReference: 'taxdoc_1',
  taxes: { retainIss: false, iss: 2, cofins: 0, csll: 0, inss: 0, ir: 0, pis: 0 },
  ...change,
});
const create = async (change: object = {}) => client.ok('POST', '/invoices', await orderOf(change));
const get = (id: string) => client.ok('GET', `/invoices/${id}`);
const authorize = (id: string) => client.ok('POST', `/invoices/${id}/authorize`);
const wait = () => client.asaas.control.advance({ seconds: 5 });

test('is authorized with number, code and files', async () => {
  const { id, ...scheduled } = await create();
  expect(scheduled).toMatchObject({
    object: 'invoice',
    status: 'SCHEDULED',
    type: 'NFS-e',
    number: null,
    pdfUrl: null,
    municipalServiceName: 'Consultoria',
    taxes: { iss: 2, retainIss: false },
  });
  expect((await authorize(id)).status).toBe('SYNCHRONIZED');
  await wait();
  const issued = await get(id);
  expect(issued).toMatchObject({ status: 'AUTHORIZED', number: '1', validationCode: expect.any(String) });
  expect((await (await fetch(issued.pdfUrl)).text()).slice(0, 4)).toBe('%PDF');
  expect(await (await fetch(issued.xmlUrl)).text()).toContain('<nNFSe>1</nNFSe>');
  expect((await client.ok('GET', '/finance/balance')).balance).toBe(-0.49);
  expect((await client.ok('GET', '/invoices?externalReference=taxdoc_1')).totalCount).toBe(1);
  expect((await client.ok('GET', '/invoices?status=ERROR')).totalCount).toBe(0);
  const tomorrow = await client.day(1);
  expect((await client.ok('GET', `/invoices?effectiveDate[Ge]=${tomorrow}`)).totalCount).toBe(0);
  // A misspelled filter is ignored.
  expect((await client.ok('GET', `/invoices?effectiveDate[ge]=${tomorrow}`)).totalCount).toBe(1);
});

test('is issued automatically on its date', async () => {
  const { id } = await create({ effectiveDate: await client.day(3) });
  await client.asaas.control.advance({ days: 1 });
  expect((await get(id)).status).toBe('SCHEDULED');
  await client.asaas.control.advance({ days: 3 });
  expect((await get(id)).status).toBe('AUTHORIZED');
});

test('shows the message of the city, and can be retried', async () => {
  await client.asaas.control.options(client.account.id, { invoices: 'error', invoiceError: 'E1: não' });
  const { id } = await create();
  await authorize(id);
  await wait();
  expect(await get(id)).toMatchObject({ status: 'ERROR', statusDescription: 'E1: não', number: null });
  await client.asaas.control.options(client.account.id, { invoices: 'authorized' });
  await client.ok('PUT', `/invoices/${id}`, { observations: 'Corrigida' });
  await authorize(id);
  await wait();
  expect(await get(id)).toMatchObject({ status: 'AUTHORIZED', observations: 'Corrigida' });
});

test('is canceled or kept by the city', async () => {
  const { id } = await create();
  await authorize(id);
  await wait();
  await client.asaas.control.options(client.account.id, {
    cancellations: 'denied',
    cancellationError: 'tarde',
  });
  expect((await client.ok('POST', `/invoices/${id}/cancel`)).status).toBe('PROCESSING_CANCELLATION');
  await wait();
  expect(await get(id)).toMatchObject({ status: 'CANCELLATION_DENIED', statusDescription: 'tarde' });
  await client.asaas.control.options(client.account.id, { cancellations: 'canceled' });
  await client.ok('POST', `/invoices/${id}/cancel`);
  await wait();
  expect((await get(id)).status).toBe('CANCELED');
  expect((await client.call('POST', `/invoices/${id}/cancel`)).status).toBe(400);
});

test('cannot be canceled if the city does not support it', async () => {
  await client.asaas.control.options(client.account.id, { supportsCancellation: false });
  expect((await client.ok('GET', '/fiscalInfo/municipalOptions')).supportsCancellation).toBe(false);
  const { id } = await create();
  await authorize(id);
  await wait();
  expect((await client.call('POST', `/invoices/${id}/cancel`)).status).toBe(400);
  expect((await client.ok('POST', `/invoices/${id}/cancel`, { cancelOnlyOnAsaas: true })).status).toBe(
    'CANCELED',
  );
});

test('requires its members, a customer and the fiscal setup', async () => {
  const order = await orderOf();
  for (const member of [
    'serviceDescription',
    'observations',
    'value',
    'deductions',
    'effectiveDate',
    'taxes',
  ]) {
    const answer = await client.call('POST', '/invoices', { ...order, [member]: undefined });
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, `invalid_${member}`]);
  }
  const { pis: _, ...taxes } = order.taxes;
  expect((await client.call('POST', '/invoices', { ...order, taxes })).body.errors[0].code).toBe(
    'invalid_taxes.pis',
  );
  expect((await client.call('POST', '/invoices', { ...order, payment: undefined })).status).toBe(400);
  expect((await client.call('POST', '/invoices', { ...order, municipalServiceCode: undefined })).status).toBe(
    400,
  );
  const { id } = await client.customer();
  expect((await create({ payment: undefined, customer: id })).customer).toBe(id);

  Object.assign(client, await asaasClient(client.asaas, { options: { fiscalInfo: false } }));
  expect((await client.call('GET', '/fiscalInfo/')).status).toBe(404);
  expect((await client.call('POST', '/invoices', await orderOf())).status).toBe(400);
  await client.ok('POST', '/fiscalInfo/', { email: 'a@demo.example', simplesNacional: true, password: 'x' });
  expect(await client.ok('GET', '/fiscalInfo')).toMatchObject({ passwordSent: true, accessTokenSent: false });
  expect(JSON.stringify(await client.ok('GET', '/fiscalInfo'))).not.toContain('"password"');
});

describe('taxes', () => {
  const CODES = {
    nbsCode: '1.1502.10.00',
    taxSituationCode: '000',
    taxClassificationCode: '000001',
    operationIndicatorCode: '100301',
  };
  const STANDARD = {
    pisCofinsTaxStatus: 'STANDARD_TAXABLE_OPERATION',
    operationPis: 0.65,
    operationCofins: 3,
  };
  const zeros = { retainIss: false, iss: 2, cofins: 0, csll: 0, inss: 0, ir: 0, pis: 0 };
  const faultsOf = async (taxes: object) => {
    const order = await orderOf({ taxes: { ...zeros, ...taxes } });
    const { status, body } = await client.call('POST', '/invoices', order);
    return status === 200
      ? []
      : body.errors.map(({ code }: { code: string }) => code.replace('invalid_taxes.', ''));
  };

  test.each([
    [{ ...CODES, ...STANDARD }, []],
    [{ ...CODES, ...STANDARD, nbsCode: '115021000' }, []],
    [{}, ['pisCofinsTaxStatus', ...Object.keys(CODES)]],
    [{ ...CODES, ...STANDARD, operationPis: 0 }, ['operationPis']],
    [{ ...CODES, pisCofinsTaxStatus: 'STANDARD_TAXABLE_OPERATION' }, ['operationPis', 'operationCofins']],
    [{ ...CODES, ...STANDARD, pisCofinsTaxStatus: 'NONE', operationCofins: null }, ['operationPis']],
    [{ ...CODES, pisCofinsTaxStatus: 'ZERO_RATE_TAXABLE_OPERATION', operationPis: 0 }, ['operationCofins']],
    [{ ...CODES, ...STANDARD, pisCofinsTaxStatus: 'TAXABLE_CONTRIBUTION_OPERATION' }, ['pisCofinsTaxStatus']],
    [{ ...CODES, ...STANDARD, pisCofinsRetentionType: 'WITHHELD' }, ['pisCofinsRetentionType']],
    [{ ...CODES, ...STANDARD, nbsCode: '1150' }, ['nbsCode']],
  ])('outside Simples Nacional: %.90j', async (taxes, faults) => {
    Object.assign(client, await asaasClient(client.asaas, { options: { simplesNacional: false } }));
    expect(await faultsOf(taxes)).toEqual(faults);
  });

  test('in Simples Nacional, no taxes are required until the date of the option', async () => {
    expect(await faultsOf({})).toEqual([]);
    const ibsCbsRequiredFrom = { simples: await client.day() };
    await client.asaas.control.options(client.account.id, { ibsCbsRequiredFrom });
    expect(await faultsOf({ nbsCode: '115021000' })).toEqual(Object.keys(CODES).slice(1));
  });

  test('the issued document has IBS and CBS', async () => {
    const { id, taxes } = await create({ value: 300, taxes: { ...zeros, ...CODES } });
    expect(taxes).toMatchObject({ ...CODES, stateIbs: null, pisCofinsRetentionType: 'NOT_WITHHELD' });
    await authorize(id);
    await wait();
    expect((await get(id)).taxes).toMatchObject({
      ...{
        stateIbs: 0.1,
        stateIbsValue: 0.3,
        municipalIbs: 0,
        municipalIbsValue: 0,
        cbs: 0.9,
        cbsValue: 2.7,
      },
    });
  });

  test('the codes are listed in pages', async () => {
    Object.assign(client, await asaasClient(client.asaas, { options: { moreNbsCodes: 100 } }));
    const first = await client.ok('GET', '/fiscalInfo/nbsCodes?limit=100');
    expect([first.totalCount, first.hasMore, first.data[0]]).toEqual([
      103,
      true,
      { nbsCode: '1.1502.10.00', codeDescription: expect.stringContaining('1.1502.10.00 - ') },
    ]);
    expect((await client.ok('GET', '/fiscalInfo/taxSituationCodes')).data[0]).toEqual({
      code: '000',
      description: 'Tributação integral',
    });
  });
});
