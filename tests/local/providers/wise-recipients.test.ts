// Forms and recipients of the Wise emulator: the requirements of each currency, and errors.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../support/payments/vendor-receiver.ts';
import { RECIPIENTS, startWiseForTest, type WiseClient, wiseClient } from '../../support/payments/wise.ts';

let client: WiseClient;
beforeAll(async () => {
  client = await startWiseForTest();
});
afterAll(() => client.wise.stop());

const MINOR = { 'accept-minor-version': '1' };
const formsOf = (quote: string, headers = MINOR) =>
  client.ok('GET', `/quotes/${quote}/account-requirements`, undefined, headers);
const keysOf = (form: Json): string[] =>
  form.fields.flatMap(({ group }: Json) => group.map(({ key }: Json) => key));
const fieldOf = (form: Json, key: string): Json =>
  form.fields.flatMap(({ group }: Json) => group).find((field: Json) => field.key === key);

/** An order without one of its keys, or with a changed one. */
function changed(order: Json, key: string, value?: unknown): Json {
  const copy = structuredClone(order);
  if (key === 'accountHolderName') copy.accountHolderName = value;
  else {
    const parts = key.split('.');
    const last = parts.pop() ?? '';
    const owner = parts.reduce((at, part) => at[part], copy.details);
    owner[last] = value;
  }
  return copy;
}

test('returns the forms of a currency, with the name only in the minor version', async () => {
  const { id } = await client.quote({ targetCurrency: 'GBP' });
  const forms = await formsOf(id);
  expect(forms.map(({ type }: Json) => type)).toEqual(['sort_code', 'iban']);
  expect(keysOf(forms[0])).toEqual(['accountHolderName', 'email', 'legalType', 'sortCode', 'accountNumber']);
  expect(fieldOf(forms[0], 'sortCode')).toEqual({
    key: 'sortCode',
    name: 'UK sort code',
    type: 'text',
    refreshRequirementsOnChange: false,
    required: true,
    displayFormat: null,
    example: '40-30-20',
    minLength: null,
    maxLength: null,
    validationRegexp: '^\\d{2}-?\\d{2}-?\\d{2}$',
    validationAsync: null,
    valuesAllowed: null,
  });
  expect(fieldOf(forms[0], 'email').required).toBe(false);
  const [older] = await formsOf(id, { 'accept-minor-version': '0' });
  expect(keysOf(older)).toEqual(['legalType', 'sortCode', 'accountNumber']);
  const byRoute = await client.ok(
    'GET',
    '/account-requirements?source=EUR&target=GBP&sourceAmount=100',
    undefined,
    MINOR,
  );
  expect(byRoute).toEqual(forms);
});

test('requires the address if source, target or caller require it', async () => {
  const asks = async (source: string, target: string, query = '') => {
    const { id } = await client.quote({ sourceCurrency: source, targetCurrency: target });
    const [form] = await client.ok('GET', `/quotes/${id}/account-requirements${query}`, undefined, MINOR);
    return keysOf(form).includes('address.city');
  };
  expect(await asks('EUR', 'EUR')).toBe(false);
  expect(await asks('EUR', 'USD')).toBe(true);
  expect(await asks('AUD', 'EUR')).toBe(true);
  expect(await asks('EUR', 'EUR', '?addressRequired=true')).toBe(true);
});

test('returns more fields once a draft contains more', async () => {
  const draft = async (currency: string, type: string, details: object) => {
    const { id } = await client.quote({ targetCurrency: currency });
    const forms: Json[] = await client.ok(
      'POST',
      `/quotes/${id}/account-requirements`,
      { type, details },
      MINOR,
    );
    return forms.find((form) => form.type === type);
  };
  const empty = await draft('USD', 'aba', {});
  expect(fieldOf(empty, 'address.country').refreshRequirementsOnChange).toBe(true);
  expect(keysOf(empty)).not.toContain('address.state');
  expect(keysOf(await draft('USD', 'aba', { address: { country: 'GB' } }))).not.toContain('address.state');
  const american = await draft('USD', 'aba', { address: { country: 'US' } });
  expect(fieldOf(american, 'address.state').valuesAllowed).toContainEqual({ key: 'AZ', name: 'AZ' });
  expect(keysOf(await draft('AUD', 'australian', { legalType: 'PRIVATE' }))).not.toContain('businessNumber');
  expect(keysOf(await draft('AUD', 'australian', { legalType: 'BUSINESS' }))).toContain('businessNumber');
  expect(keysOf(await draft('JPY', 'japanese', {}))).not.toContain('branchCode');
  const bank = await draft('JPY', 'japanese', { bankCode: '0005' });
  expect(fieldOf(bank, 'branchCode').valuesAllowed).toContainEqual({ key: '084', name: 'Ginza' });
});

test.each(Object.entries(RECIPIENTS))(
  'accepts %s, and rejects it without each required field',
  async (_, order) => {
    const made = await client.recipient(order);
    expect(made).toMatchObject({ id: expect.any(Number), active: true, currency: order.currency });
    const { id } = await client.quote({ targetCurrency: order.currency });
    const forms: Json[] = await client.ok('POST', `/quotes/${id}/account-requirements`, order, MINOR);
    const form = forms.find(({ type }) => type === order.type);
    const required = form.fields
      .flatMap(({ group }: Json) => group)
      .filter((field: Json) => field.required)
      .map(({ key }: Json) => key);
    expect(required.length).toBeGreaterThan(2);
    for (const key of required) {
      const answer = await client.call('POST', '/accounts', {
        profile: client.account.profile,
        ...changed(order, key),
      });
      const paths = answer.body.errors.map(({ path }: Json) => path);
      expect([key, answer.status, paths]).toEqual([key, 422, expect.arrayContaining([key])]);
      expect(answer.body.timestamp).toEqual(expect.any(String));
      for (const error of answer.body.errors) {
        const { path } = error;
        expect(error.arguments).toContain(path);
        expect(error).toMatchObject({ code: 'NOT_VALID', message: expect.any(String) });
      }
    }
  },
);

test('rejects invalid values', async () => {
  const wrong: [Json, string, unknown][] = [
    [RECIPIENTS.EUR, 'IBAN', 'DE89370400440532013001'],
    [RECIPIENTS.EUR, 'accountHolderName', 'Ann'],
    [RECIPIENTS.EUR, 'accountHolderName', 'Ann L'],
    [RECIPIENTS.EUR, 'accountHolderName', 'Ann Lee 2'],
    [RECIPIENTS.EUR, 'legalType', 'COMPANY'],
    [RECIPIENTS.GBP, 'sortCode', '2314'],
    [RECIPIENTS.USD, 'abartn', '111000026'],
    [RECIPIENTS.USD, 'accountType', 'checking'],
    [RECIPIENTS.USD, 'address.country', 'XX'],
    [RECIPIENTS.USD, 'address.state', 'ZZ'],
    [RECIPIENTS.USD_SWIFT, 'swiftCode', 'BUKB'],
    [RECIPIENTS.BRL, 'cpf', '123'],
    [RECIPIENTS.BRL, 'legalType', 'BUSINESS'],
    [RECIPIENTS.MXN, 'clabe', '032180000118359718'],
    [RECIPIENTS.INR, 'ifscCode', 'YESB1236041'],
    [RECIPIENTS.JPY, 'branchCode', '999'],
    [RECIPIENTS.AUD, 'bsbCode', '02360'],
    [RECIPIENTS.CAD, 'transitNumber', '4841'],
  ];
  for (const [order, key, value] of wrong) {
    const answer = await client.call('POST', '/accounts', {
      profile: client.account.profile,
      ...changed(order, key, value),
    });
    expect([key, answer.status, answer.body.errors?.[0]]).toEqual([
      key,
      422,
      expect.objectContaining({ code: 'NOT_VALID', path: key, arguments: [key, value] }),
    ]);
  }
  const other = await client.call('POST', '/accounts', { ...RECIPIENTS.EUR, type: 'aba' });
  expect([other.status, other.body.errors[0].path]).toEqual([422, 'type']);
  const foreign = await client.call('POST', '/accounts', { ...RECIPIENTS.EUR, profile: 1 });
  expect(foreign.status).toBe(403);
  const bare = await client.call('POST', '/accounts', { currency: 'EUR' });
  expect([bare.status, bare.body.errors.map(({ path }: Json) => path)]).toEqual([400, ['type', 'details']]);
});

test('returns recipients in two formats', async () => {
  const made = await client.recipient(RECIPIENTS.GBP);
  expect(made).toMatchObject({
    profileId: client.account.profile,
    name: { fullName: 'Ann Lee' },
    type: 'SortCode',
    legalEntityType: 'PERSON',
    details: { sortCode: '231470', accountNumber: '28821822' },
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await client.ok('GET', `/accounts/${made.id}`)).toEqual(made);
  expect(await client.ok('GET', `/v1/accounts/${made.id}`)).toMatchObject({
    id: made.id,
    profile: client.account.profile,
    accountHolderName: 'Ann Lee',
    type: 'sort_code',
    country: 'GB',
    details: { legalType: 'PRIVATE', sortCode: '231470', IBAN: null, address: { city: null } },
  });
  const dollars = await client.recipient(RECIPIENTS.USD);
  expect(dollars.details.address).toMatchObject({ country: 'US', state: 'AZ', city: 'Phoenix' });
  expect((await client.recipient(RECIPIENTS.GBP)).hash).toBe(made.hash);
  expect(dollars.hash).not.toBe(made.hash);
  await client.wise.control.options(client.account.id, { createdRecipient: 'v1' });
  expect((await client.recipient(RECIPIENTS.GBP)).accountHolderName).toBe('Ann Lee');
});

test("lists a profile's recipients in pages, by default the personal profile's", async () => {
  const other = await wiseClient(client.wise);
  const made: number[] = [];
  for (let number = 0; number < 3; number++) made.push((await other.recipient()).id);
  await other.recipient(RECIPIENTS.GBP);
  const personal = await other.recipient({ ...RECIPIENTS.EUR, profile: other.account.personalProfile });
  const list = (query: string) => other.ok('GET', `/accounts?${query}`);
  const idsOf = ({ content }: Json) => content.map(({ id }: Json) => id);
  expect(idsOf(await list(''))).toEqual([personal.id]);
  const query = `profileId=${other.account.profile}&currency=EUR`;
  const first = await list(`${query}&size=2`);
  expect([idsOf(first), first.size, first.seekPositionForNext]).toEqual([made.slice(0, 2), 2, made[2]]);
  const second = await list(`${query}&size=2&seekPosition=${first.seekPositionForNext}`);
  expect([idsOf(second), second.seekPositionForNext]).toEqual([made.slice(2), null]);
  expect(idsOf(await list(`${query}&sort=id,desc`))).toEqual([...made].reverse());
  const older: Json[] = await other.ok('GET', `/v1/accounts?profile=${other.account.profile}&currency=EUR`);
  expect(older.map(({ id }) => id)).toEqual(made);
});

test('deletes a recipient once, and no longer pays to it', async () => {
  const { id } = await client.recipient();
  const quote = await client.quote();
  expect((await client.ok('DELETE', `/accounts/${id}`)).active).toBe(false);
  expect((await client.call('DELETE', `/accounts/${id}`)).status).toBe(403);
  expect((await client.ok('GET', `/accounts/${id}`)).active).toBe(false);
  const { content } = await client.ok('GET', `/accounts?profileId=${client.account.profile}`);
  expect(content.map((one: Json) => one.id)).not.toContain(id);
  expect((await client.patch(quote.id, { targetAccount: id })).status).toBe(422);
});
