// Wise's required beneficiary fields by currency: reported before the order is sent, with the member names of the request.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWise, type Wise } from '../../../../../local/providers/wise/index.ts';
import { InvalidOrder } from '../../../../../shared/payments/providers/errors.ts';
import type { PayoutOrder } from '../../../../../shared/payments/providers/payout-port.ts';
import { payoutsOf } from '../../../../../shared/payments/providers/provider.ts';
import {
  PATIENT,
  payoutOrder,
  type WiseAdapter,
  wiseAdapter,
} from '../../../../support/payments/wise-adapter.ts';

let wise: Wise;
beforeAll(async () => {
  wise = await startWise();
});
afterAll(() => wise.stop());

const US_ADDRESS = {
  line1: '45 Sunflower Ave',
  city: 'Phoenix',
  state: 'AZ',
  postal_code: '10025',
  country: 'US',
};
const US_ACCOUNT = { country: 'US', account_number: '12345678', routing_number: '111000025' };
const AT = 'beneficiary.bank_account';

/** The missing members, each with its rule. */
async function faultsOf(adapter: WiseAdapter, order: PayoutOrder): Promise<Record<string, string>> {
  const error = await payoutsOf(adapter.provider)
    .create(order, PATIENT)
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof InvalidOrder))
    throw new Error(`not refused: ${JSON.stringify(error)}`, { cause: error });
  const { transfers } = await wise.control.account(adapter.account.id);
  expect(transfers).toEqual([]);
  return Object.fromEntries(error.faults.map(({ field, message }) => [field, message]));
}

async function recipientsOf(adapter: WiseAdapter) {
  return (await wise.control.account(adapter.account.id)).recipients;
}

describe('the recipient form', () => {
  test.each<[string, Parameters<typeof payoutOrder>[0], string, Record<string, string>]>([
    ['EUR', {}, 'iban', { legalType: 'PRIVATE', IBAN: 'DE89370400440532013000' }],
    [
      'EUR, written with spaces',
      { account: { iban: 'de89 3704 0044 0532 0130 00' } },
      'iban',
      { legalType: 'PRIVATE', IBAN: 'DE89370400440532013000' },
    ],
    [
      'GBP by sort code',
      { currency: 'GBP', account: { country: 'GB', account_number: '28821822', routing_number: '23-14-70' } },
      'sort_code',
      { legalType: 'PRIVATE', sortCode: '231470', accountNumber: '28821822' },
    ],
    [
      'GBP by IBAN',
      { currency: 'GBP', account: { country: 'GB', iban: 'GB33BUKB20201555555555' } },
      'iban',
      { legalType: 'PRIVATE', IBAN: 'GB33BUKB20201555555555' },
    ],
    [
      'USD in the country',
      { currency: 'USD', person: { address: US_ADDRESS }, account: US_ACCOUNT },
      'aba',
      {
        legalType: 'PRIVATE',
        abartn: '111000025',
        accountNumber: '12345678',
        accountType: 'CHECKING',
        'address.country': 'US',
        'address.state': 'AZ',
        'address.city': 'Phoenix',
        'address.firstLine': '45 Sunflower Ave',
        'address.postCode': '10025',
      },
    ],
    [
      'USD abroad',
      {
        currency: 'USD',
        person: { address: { line1: '1 High Street', city: 'London', postal_code: 'E1 6AN', country: 'GB' } },
        account: { country: 'GB', iban: 'GB33BUKB20201555555555', bic: 'BUKBGB22' },
      },
      'swift_code',
      {
        legalType: 'PRIVATE',
        swiftCode: 'BUKBGB22',
        accountNumber: 'GB33BUKB20201555555555',
        'address.country': 'GB',
        'address.city': 'London',
        'address.firstLine': '1 High Street',
        'address.postCode': 'E1 6AN',
      },
    ],
    [
      'MXN',
      {
        currency: 'MXN',
        account: { country: 'MX', account_number: '032180000118359719', routing_number: '032' },
      },
      'mexican',
      { legalType: 'PRIVATE', clabe: '032180000118359719' },
    ],
    [
      'INR, without what the transfer wants',
      {
        currency: 'INR',
        account: { country: 'IN', account_number: '678911234567891', routing_number: 'YESB0236041' },
      },
      'indian',
      { legalType: 'PRIVATE', ifscCode: 'YESB0236041', accountNumber: '678911234567891' },
    ],
    [
      'AUD of a business, which is asked for its number then',
      {
        currency: 'AUD',
        person: { type: 'business', name: 'Acme', document: '12345678901' },
        account: { country: 'AU', account_number: '123456789', routing_number: '023-604' },
      },
      'australian',
      { legalType: 'BUSINESS', bsbCode: '023604', accountNumber: '123456789', businessNumber: '12345678901' },
    ],
  ])('of %s is filled from the request', async (name, change, type, details) => {
    const adapter = await wiseAdapter(wise);
    const attempt = payoutsOf(adapter.provider).create(payoutOrder(change), PATIENT);
    if (name.startsWith('INR')) await expect(attempt).rejects.toThrow('transferPurpose');
    else await attempt;
    const [recipient, ...others] = await recipientsOf(adapter);
    expect(others).toEqual([]);
    expect(recipient).toMatchObject({ type, details, accountHolderName: change?.person?.name ?? 'Ann Lee' });
    expect(Object.keys(recipient?.details ?? {}).sort()).toEqual(Object.keys(details).sort());
  });

  test("has the email if it has a field for it, and the account type in the currency's terms", async () => {
    const adapter = await wiseAdapter(wise);
    const order = payoutOrder({
      currency: 'USD',
      person: { address: US_ADDRESS, email: 'ann@example.com' },
      account: { ...US_ACCOUNT, account_type: 'savings' },
    });
    await payoutsOf(adapter.provider).create(order, PATIENT);
    const [recipient] = await recipientsOf(adapter);
    expect(recipient?.details).toMatchObject({ email: 'ann@example.com', accountType: 'SAVINGS' });
  });

  test('by SWIFT pays the whole amount to the beneficiary', async () => {
    const adapter = await wiseAdapter(wise, { options: { funding: 'forbidden' } });
    await payoutsOf(adapter.provider).create(
      payoutOrder({
        currency: 'USD',
        person: { address: { line1: '1 High Street', city: 'London', postal_code: 'E1 6AN', country: 'GB' } },
        account: { country: 'GB', iban: 'GB33BUKB20201555555555', bic: 'BUKBGB22' },
      }),
      PATIENT,
    );
    const { quotes } = await wise.control.account(adapter.account.id);
    expect(quotes[0]?.payOut).toBe('SWIFT_OUR');
  });
});

describe('a missing field', () => {
  test('of EUR is the type of beneficiary', async () => {
    const adapter = await wiseAdapter(wise);
    const faults = await faultsOf(adapter, payoutOrder({ person: { type: undefined } }));
    expect(faults).toEqual({ 'beneficiary.type': 'is required for a payout in EUR' });
    expect(await recipientsOf(adapter)).toEqual([]);
  });

  test('of EUR is an IBAN if another account is given', async () => {
    const adapter = await wiseAdapter(wise);
    const account = { country: 'DE', account_number: '0532013000', routing_number: '37040044' };
    expect(await faultsOf(adapter, payoutOrder({ account }))).toEqual({
      [`${AT}.iban`]: 'is required for a payout in EUR',
    });
  });

  test('of USD is reported together with all others', async () => {
    const adapter = await wiseAdapter(wise);
    const order = payoutOrder({ currency: 'USD', person: { type: undefined }, account: US_ACCOUNT });
    expect(Object.keys(await faultsOf(adapter, order)).sort()).toEqual([
      'beneficiary.address.city',
      'beneficiary.address.country',
      'beneficiary.address.line1',
      'beneficiary.address.postal_code',
      'beneficiary.type',
    ]);
  });

  test('of USD includes the state if the country has states', async () => {
    const adapter = await wiseAdapter(wise);
    const { state: _, ...address } = US_ADDRESS;
    const order = payoutOrder({ currency: 'USD', person: { address }, account: US_ACCOUNT });
    expect(await faultsOf(adapter, order)).toEqual({
      'beneficiary.address.state': 'is required for a payout in USD',
    });
  });

  test('of USD abroad is the BIC', async () => {
    const adapter = await wiseAdapter(wise);
    const order = payoutOrder({
      currency: 'USD',
      person: { address: { line1: '1 High Street', city: 'London', postal_code: 'E1 6AN', country: 'GB' } },
      account: { country: 'GB', iban: 'GB33BUKB20201555555555' },
    });
    expect(await faultsOf(adapter, order)).toEqual({ [`${AT}.bic`]: 'is required for a payout in USD' });
  });

  test('without a member of ours is reported by its own key', async () => {
    const adapter = await wiseAdapter(wise);
    const account = { country: 'CA', account_number: '3456712', routing_number: '006' };
    expect(await faultsOf(adapter, payoutOrder({ currency: 'CAD', account }))).toEqual({
      'beneficiary.institutionNumber': 'is required for a payout in CAD',
      'beneficiary.transitNumber': 'is required for a payout in CAD',
    });
  });

  test('of JPY is reported in two steps: the bank, then its branch', async () => {
    const adapter = await wiseAdapter(wise);
    const account = { country: 'JP', account_number: '1234567', routing_number: '9' };
    const first = await faultsOf(adapter, payoutOrder({ currency: 'JPY', amountMinor: 5000, account }));
    expect(first).toEqual({ [`${AT}.routing_number`]: expect.stringMatching(/^must be one /) });
    const order = payoutOrder({
      currency: 'JPY',
      amountMinor: 5000,
      account: { ...account, routing_number: '0005', account_type: 'savings' },
    });
    expect(await faultsOf(adapter, order)).toEqual({
      'beneficiary.branchCode': 'is required for a payout in JPY',
    });
  });

  test('of a transfer is reported before it is ordered', async () => {
    const adapter = await wiseAdapter(wise);
    const account = { country: 'TH', account_number: '9517384260', routing_number: '002' };
    const address = { line1: '1 Silom Road', city: 'Bangkok', postal_code: '10500', country: 'TH' };
    const order = payoutOrder({ currency: 'THB', person: { address }, account });
    expect(await faultsOf(adapter, order)).toEqual({
      'beneficiary.transferPurpose': 'is required for a payout in THB',
    });
  });
});

describe('an invalid value', () => {
  test.each<[string, Parameters<typeof payoutOrder>[0], string, string]>([
    [
      'a routing number of another length',
      { currency: 'GBP', account: { country: 'GB', account_number: '28821822', routing_number: '2314' } },
      `${AT}.routing_number`,
      'does not have the format that Wise requires for a payout in GBP',
    ],
    [
      'an account number of another length',
      { currency: 'GBP', account: { country: 'GB', account_number: '288', routing_number: '231470' } },
      `${AT}.account_number`,
      'must have at least 8 characters for a payout in GBP',
    ],
    [
      'a state that is none',
      { currency: 'USD', person: { address: { ...US_ADDRESS, state: 'XX' } }, account: US_ACCOUNT },
      'beneficiary.address.state',
      'must be a value that Wise supports for a payout in USD',
    ],
    [
      'check digits, which Wise alone looks at',
      {
        currency: 'MXN',
        account: { country: 'MX', account_number: '032180000118359710', routing_number: '032' },
      },
      `${AT}.account_number`,
      'was rejected by Wise: ',
    ],
    ['a name of one word', { person: { name: 'Ann' } }, 'beneficiary.name', 'was rejected by Wise: '],
  ])('%s is reported', async (_, change, field, message) => {
    const adapter = await wiseAdapter(wise);
    const faults = await faultsOf(adapter, payoutOrder(change));
    expect(Object.keys(faults)).toEqual([field]);
    expect(faults[field]).toContain(message);
  });

  test('an amount is reported', async () => {
    const adapter = await wiseAdapter(wise);
    const errors = [{ code: 'error.amount', message: 'Too much', path: 'targetAmount', arguments: [] }];
    await wise.control.fault({
      kind: 'error_before',
      account: adapter.account.id,
      path: '/2026Q3/profiles/*/quotes',
      status: 422,
      body: { timestamp: '2026-11-22T00:00:00Z', errors },
    });
    expect(await faultsOf(adapter, payoutOrder())).toEqual({ amount: 'was rejected by Wise: Too much' });
  });

  test('a currency that Wise does not pay is rejected', async () => {
    const adapter = await wiseAdapter(wise);
    await expect(
      payoutsOf(adapter.provider).create(payoutOrder({ currency: 'XAF' }), PATIENT),
    ).rejects.toMatchObject({
      name: expect.stringMatching(/^(ProviderRejected|InvalidOrder)$/),
    });
  });
});

test('a reference is as long as the route allows, in characters that it accepts', async () => {
  const adapter = await wiseAdapter(wise);
  const order = payoutOrder({
    currency: 'USD',
    description: 'Prêmio nº 12/2026: campaign of the spring',
    person: { address: US_ADDRESS },
    account: US_ACCOUNT,
  });
  const { providerReference } = await payoutsOf(adapter.provider).create(order, PATIENT);
  const { details } = await adapter.ok('GET', `/transfers/${providerReference}`);
  expect(details.reference).toMatch(/^[a-zA-Z0-9- ]{1,10}$/);
});

describe('a recipient', () => {
  test('is found again by equal details', async () => {
    const adapter = await wiseAdapter(wise);
    const details = { currency: 'USD', person: { address: US_ADDRESS }, account: US_ACCOUNT };
    await payoutsOf(adapter.provider).create(payoutOrder(details), PATIENT);
    await payoutsOf(adapter.provider).create(payoutOrder(details), PATIENT);
    expect(await recipientsOf(adapter)).toHaveLength(1);
  });

  test('is another one if any detail differs', async () => {
    const adapter = await wiseAdapter(wise);
    const base = { currency: 'USD', person: { address: US_ADDRESS }, account: US_ACCOUNT };
    for (const change of [
      {},
      { account: { ...US_ACCOUNT, account_number: '12345679' } },
      { account: { ...US_ACCOUNT, routing_number: '021000021' } },
      { account: { ...US_ACCOUNT, account_type: 'savings' } },
      { person: { address: { ...US_ADDRESS, city: 'Tucson' } } },
      { person: { address: US_ADDRESS, name: 'Anna Lee' } },
      { person: { address: US_ADDRESS, type: 'business' as const } },
    ])
      await payoutsOf(adapter.provider).create(payoutOrder({ ...base, ...change }), PATIENT);
    expect(await recipientsOf(adapter)).toHaveLength(7);
  });

  test('that was deleted is created again', async () => {
    const adapter = await wiseAdapter(wise);
    await payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
    const [recipient] = await recipientsOf(adapter);
    await adapter.ok('DELETE', `/accounts/${recipient?.id}`);
    await payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
    expect((await recipientsOf(adapter)).map(({ active }) => active)).toEqual([false, true]);
  });

  test('is found behind a page of others', async () => {
    const adapter = await wiseAdapter(wise);
    await payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
    for (let other = 0; other < 45; other++)
      await adapter.recipient({
        accountHolderName: `Ann ${String.fromCharCode(65 + (other % 26))}${'e'.repeat(1 + other / 26)} Lee`,
        currency: 'EUR',
        type: 'iban',
        details: { legalType: 'PRIVATE', IBAN: 'DE89370400440532013000' },
      });
    await payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
    expect(await recipientsOf(adapter)).toHaveLength(46);
  });

  test('is created once for concurrent payouts', async () => {
    const adapter = await wiseAdapter(wise);
    await Promise.all(
      Array.from({ length: 4 }, () => payoutsOf(adapter.provider).create(payoutOrder(), PATIENT)),
    );
    const recipients = await recipientsOf(adapter);
    expect(recipients.filter(({ active }) => active)).toHaveLength(1);
    const { transfers } = await wise.control.account(adapter.account.id);
    const oldest = Math.min(...recipients.map(({ id }) => id));
    expect(transfers.map(({ targetAccount }) => targetAccount)).toEqual([oldest, oldest, oldest, oldest]);
  });

  test.each(['v1', 'v2'] as const)(
    'is accepted in the format of %s when it is created',
    async (createdRecipient) => {
      const adapter = await wiseAdapter(wise, { options: { createdRecipient } });
      await payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
      expect(await recipientsOf(adapter)).toHaveLength(1);
    },
  );
});
