// Requests compared with a vendor's OpenAPI document. These documents are our own, based on our knowledge of the vendors.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareRequests, type SentRequest } from '../../../conformance/openapi/compare.ts';
import { openDocument, type Schema } from '../../../conformance/openapi/document.ts';
import { requestsOf } from '../../../conformance/openapi/requests.ts';
import { runCheckProvider } from '../../../support/payments/run-check-provider.ts';

const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const flag: Schema = { type: 'boolean' };
const one = (...values: string[]): Schema => ({ type: 'string', enum: values });
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});
const named = (names: string, schema: Schema): Record<string, Schema> =>
  Object.fromEntries(names.split(' ').map((name) => [name, schema]));

interface Described {
  query?: string;
  body?: Schema;
}

const operation = ({ query = '', body }: Described = {}) => ({
  parameters: query
    .split(' ')
    .filter(Boolean)
    .map((name) => ({ name, in: 'query', schema: {} })),
  ...(body && {
    requestBody: {
      required: (body.required ?? body.allOf ?? []).length > 0,
      content: { 'application/json': { schema: body } },
    },
  }),
});

/** By `METHOD /path`. */
function documentOf(described: Record<string, Described>, components: Record<string, Schema> = {}) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, one] of Object.entries(described)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(one) };
  }
  return {
    openapi: '3.0.1',
    servers: [{ url: 'https://api.example/2026Q3' }],
    paths,
    components: { schemas: components },
  };
}

const outcomes = (document: object, request: Partial<SentRequest>) =>
  compareRequests(openDocument(document), [
    { method: 'POST', path: '/2026Q3/orders/7', query: {}, body: null, ...request },
  ]).map(({ name, why }) => [name, why]);

test.each<[string, Partial<SentRequest>, string]>([
  ['fits', { body: { value: 1, kind: 'A', lines: [{ name: 'x' }], more: null } }, ''],
  [
    'an unknown member, however deep',
    { body: { value: 1, lines: [{ nam: 'x' }] } },
    'lines[0].nam is unknown',
  ],
  ['a required member', { body: { kind: 'A' } }, 'value is required'],
  ['an undocumented value', { body: { value: 1, kind: 'C' } }, 'kind has the undocumented value "C"'],
  ['another type', { body: { value: '1' } }, 'value must be of type number'],
  ['null where it may not be', { body: { value: null } }, 'value may not be null'],
  ['one of several', { body: { value: 1, payer: { email: 'a@b.c' } } }, ''],
  ['none of several', { body: { value: 1, payer: { phone: '1' } } }, 'payer.phone is unknown'],
  ['no body', {}, 'a body is required'],
  [
    'an unknown filter',
    { body: { value: 1 }, query: { since: '1', 'day[ge]': '2' } },
    'query since is unknown',
  ],
])('%s', (_, request, why) => {
  const document = documentOf(
    {
      'POST /orders/{id}': {
        query: 'day[ge]',
        body: {
          allOf: [
            { $ref: '#/components/schemas/Order' },
            object({
              more: { type: 'string', nullable: true },
              payer: { oneOf: [object({ email: text }), object({ id: text })] },
            }),
          ],
        },
      },
    },
    {
      Order: object(
        { value: number, kind: one('A', 'B'), lines: { type: 'array', items: object({ name: text }) } },
        ['value'],
      ),
    },
  );
  expect(outcomes(document, request)).toEqual([['POST /orders/{id}', why]]);
});

test('an undocumented operation', () => {
  const document = documentOf({ 'GET /orders/{id}': {} });
  expect(outcomes(document, {})).toEqual([['POST /2026Q3/orders/7', 'is not in the document']]);
  expect(outcomes(document, { method: 'GET', path: '/2026Q4/orders/7' })).toEqual([['GET /orders/{id}', '']]);
});

const paged = (more = '') => ({ query: `offset limit ${more}` });
const webhook = {
  ...named('name url email authToken', text),
  ...named('enabled interrupted', flag),
  apiVersion: number,
  sendType: one('SEQUENTIALLY', 'NON_SEQUENTIALLY'),
  events: { type: 'array', items: text },
};

const customer = {
  ...named('name cpfCnpj email phone mobilePhone externalReference', text),
  ...named('address addressNumber complement province postalCode', text),
  notificationDisabled: flag,
};

/** Our knowledge of the Asaas operations that the adapter uses. */
const asaas = {
  'GET /v3/finance/balance': {},
  'GET /v3/myAccount/status/': {},
  'GET /v3/pix/addressKeys': paged('status'),
  'GET /v3/financialTransactions': paged('startDate order'),
  'GET /v3/fiscalInfo/': {},
  'GET /v3/fiscalInfo/municipalOptions': {},
  ...Object.fromEntries(
    ['nbsCodes', 'taxSituationCodes', 'taxClassificationCodes', 'operationIndicatorCodes'].map((list) => [
      `GET /v3/fiscalInfo/${list}`,
      paged(),
    ]),
  ),
  'GET /v3/webhooks': paged(),
  'POST /v3/webhooks': { body: object(webhook, Object.keys(webhook)) },
  'PUT /v3/webhooks/{id}': { body: object(webhook) },
  'DELETE /v3/webhooks/{id}': {},
  'GET /v3/customers': paged('externalReference'),
  'POST /v3/customers': { body: object(customer, ['name', 'cpfCnpj']) },
  'PUT /v3/customers/{id}': { body: object(customer) },
  'GET /v3/payments': paged('dateCreated[ge] paymentDate[ge] status externalReference'),
  'POST /v3/payments': {
    body: object(
      {
        ...named('customer dueDate description externalReference', text),
        billingType: one('UNDEFINED', 'BOLETO', 'CREDIT_CARD', 'PIX'),
        value: number,
        daysAfterDueDateToRegistrationCancellation: number,
        fine: object({ value: number, type: one('FIXED', 'PERCENTAGE') }),
        interest: object({ value: number }),
        discount: object({ value: number, dueDateLimitDays: number, type: one('FIXED', 'PERCENTAGE') }),
        callback: object({ successUrl: text, autoRedirect: flag }),
      },
      ['customer', 'billingType', 'value', 'dueDate'],
    ),
  },
  'GET /v3/payments/{id}': {},
  'DELETE /v3/payments/{id}': {},
  'GET /v3/payments/{id}/pixQrCode': {},
  'GET /v3/payments/{id}/identificationField': {},
  'GET /v3/payments/{id}/refunds': paged(),
  'POST /v3/payments/{id}/refund': { body: object({ value: number, description: text }) },
  'GET /v3/transfers': paged('dateCreated[ge] dateCreatedLe[ge] transferDate[ge]'),
  'POST /v3/transfers': {
    body: object(
      {
        ...named('pixAddressKey description externalReference', text),
        value: number,
        operationType: one('PIX', 'TED'),
        pixAddressKeyType: one('CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP'),
      },
      ['value'],
    ),
  },
  'GET /v3/transfers/{id}': {},
  'DELETE /v3/transfers/{id}/cancel': {},
  'GET /v3/invoices': paged('effectiveDate[Ge] externalReference'),
  'POST /v3/invoices': {
    body: object(
      {
        ...named('payment customer serviceDescription observations externalReference effectiveDate', text),
        ...named('municipalServiceId municipalServiceCode municipalServiceName', text),
        ...named('value deductions', number),
        taxes: object({
          ...named('iss pis cofins csll inss ir', number),
          ...named('operationPis operationCofins', { type: 'number', nullable: true }),
          ...named('nbsCode taxSituationCode taxClassificationCode operationIndicatorCode', text),
          pisCofinsTaxStatus: text,
          retainIss: flag,
        }),
      },
      ['serviceDescription', 'value', 'effectiveDate', 'taxes'],
    ),
  },
  'POST /v3/invoices/{id}/authorize': {},
  'POST /v3/invoices/{id}/cancel': { body: object({ cancelOnlyOnAsaas: flag }) },
};

/** A document as a file. */
function fileOf(document: object): string {
  const dir = mkdtempSync(join(tmpdir(), 'placar-openapi-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
}

test('all requests of the Asaas adapter are as recorded, and undocumented parts are listed', async () => {
  const sent = await requestsOf('asaas');
  const compare = (described: Record<string, Described>) =>
    compareRequests(openDocument(documentOf(described)), sent).filter(({ outcome }) => outcome !== 'held');
  expect(compare(asaas)).toEqual([]);
  const { 'DELETE /v3/transfers/{id}/cancel': _, ...others } = asaas;
  expect(
    compare({ ...others, 'POST /v3/payments/{id}/refund': { body: object({ amount: number }) } }),
  ).toEqual([
    {
      name: 'POST /v3/payments/{id}/refund',
      outcome: 'did not hold',
      why: 'value is unknown; description is unknown',
    },
    {
      name: expect.stringMatching(/^DELETE \/v3\/transfers\/.*\/cancel$/),
      outcome: 'did not hold',
      why: 'is not in the document',
    },
  ]);
});

test('the command without a key: differences, and files that are not documents', async () => {
  const file = fileOf(documentOf({ 'GET /profiles': {}, 'PUT /transfers/{id}/cancel': {} }));
  const { code, out } = await runCheckProvider(['wise', '--openapi', file], {});
  expect([code, out]).toEqual([1, expect.stringMatching(/^held {10}GET \/profiles$/m)]);
  expect(out).toMatch(/^did not hold {2}POST .*\/subscriptions\n {14}is not in the document$/m);
  const none = await runCheckProvider(['asaas', '--openapi', fileOf({ swagger: '2.0' })], {});
  expect([none.code, none.out]).toEqual([1, expect.stringContaining('is not an OpenAPI 3 document in JSON')]);
  const stripe = await runCheckProvider(['stripe', '--openapi', file], {});
  expect([stripe.code, stripe.out]).toEqual([1, expect.stringContaining('--openapi FILE')]);
});
