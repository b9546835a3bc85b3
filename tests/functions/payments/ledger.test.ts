import { describe, expect, test } from 'vitest';
import { connectDatabase, truncateRefusal } from '../../support/database.ts';
import {
  createInvoice,
  createPayout,
  createPayTenant,
  faultsOf,
  get,
  paidInvoice,
  payInvoice,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const LIST = '/balance-transactions';
const TODAY = /^\d{4}-\d\d-\d\d$/;

const idsOf = async (apiKey: string, query: string): Promise<string[]> =>
  (await get(apiKey, `${LIST}?${query}`)).data.map(({ id }: { id: string }) => id);

const adjust = async (tenantId: string, amount: number, currency = 'BRL'): Promise<string> => {
  const [row] = await sql`select admin.adjust_balance(${tenantId}, ${amount}, ${currency}, 'a reason') as id`;
  return row?.id;
};

/** An entry with this creation time. */
async function entryAt(
  tenantId: string,
  created: string,
  availableOn = created.slice(0, 10),
): Promise<string> {
  const [row] = await sql`
    insert into balance_transactions (tenant_id, type, amount, currency, net, available_on, created)
    values (${tenantId}, 'adjustment', 1, 'BRL', 1, ${availableOn}, ${created}) returning id`;
  return row?.id;
}

describe('entries', () => {
  test('a paid invoice adds one charge, with fee, net and inherited fields', async () => {
    const { id: tenantId, apiKey } = await createPayTenant(sql);
    await sql`select admin.register_cost_center(${tenantId}, 'sales', 'Sales', true)`;
    const open = await createInvoice(apiKey, { amount: 12_345, contractor_reference: 'C-1' });
    expect((await get(apiKey, LIST)).data).toEqual([]);
    await payInvoice(apiKey, open.id);
    const { data } = await get(apiKey, LIST);
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^btxn_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        type: 'charge',
        amount: 12_345,
        currency: 'BRL',
        fee: 123,
        net: 12_222,
        available_on: expect.stringMatching(TODAY),
        created: expect.stringMatching(/\.\d{3}Z$/),
        source: { resource: 'invoice', id: open.id },
        counterparty: open.customer.name,
        cost_center: 'sales',
        our_number: open.our_number,
        contractor_reference: 'C-1',
        refund_id: null,
        reason: null,
      },
    ]);
    expect(await get(apiKey, `${LIST}/${data[0].id}`)).toEqual(data[0]);
  });

  test.each([
    ['PIX', pixPayout({ amount: 7001, contractor_reference: 'R-1' })],
    ['a transfer', transferPayout({ amount: 7001, contractor_reference: 'R-1' })],
  ])('a payout by %s adds one entry once it is paid: a negative amount, and the fee', async (_name, body) => {
    const { apiKey } = await createPayTenant(sql);
    const made = await createPayout(apiKey, body);
    expect((await get(apiKey, LIST)).data).toEqual([]);
    await untilStatus(apiKey, `/payouts/${made.id}`, 'paid');
    const { data } = await get(apiKey, LIST);
    expect(data).toMatchObject([
      {
        type: 'payout',
        amount: -7001,
        currency: made.currency,
        source: { resource: 'payout', id: made.id },
        cost_center: null,
        our_number: made.our_number,
        contractor_reference: 'R-1',
      },
    ]);
    expect(data[0].fee).toBeGreaterThan(0);
    expect(data[0].net).toBe(-7001 - data[0].fee);
  });

  test('an adjustment has its sign, no fee, no source and no control fields', async () => {
    const { id: tenantId, apiKey } = await createPayTenant(sql);
    const [gone] = await sql`
      select admin.adjust_balance(tenant_id => ${tenantId}, amount => -250, currency => 'USD', reason => 'chargeback') as id`;
    expect(await get(apiKey, `${LIST}/${gone?.id}`)).toEqual({
      id: gone?.id,
      type: 'adjustment',
      amount: -250,
      currency: 'USD',
      fee: 0,
      net: -250,
      available_on: expect.stringMatching(TODAY),
      created: expect.any(String),
      source: null,
      counterparty: null,
      cost_center: null,
      our_number: null,
      contractor_reference: null,
      refund_id: null,
      reason: 'chargeback',
    });
  });

  test.each([
    [0, 'BRL', 'a reason', /amount/],
    [5, 'brl', 'a reason', /currency/],
    [5, 'BRL', ' ', /reason/],
  ])('rejects an adjustment of %i %s because of "%s"', async (amount, currency, reason, message) => {
    const { id } = await createPayTenant(sql);
    await expect(sql`select admin.adjust_balance(${id}, ${amount}, ${currency}, ${reason})`).rejects.toThrow(
      message,
    );
  });

  test('are append-only: the database rejects changes and deletions', async () => {
    const { id: tenantId } = await createPayTenant(sql);
    const id = await adjust(tenantId, 100);
    await expect(sql`update balance_transactions set amount = 1 where id = ${id}`).rejects.toThrow();
    await expect(sql`delete from balance_transactions where id = ${id}`).rejects.toThrow();
    expect(await truncateRefusal(sql, 'balance_transactions')).not.toBe('it was emptied');
    expect(await sql`select amount::integer from balance_transactions where id = ${id}`).toEqual([
      { amount: 100 },
    ]);
  });

  test('the balance is their sum', async () => {
    const { id: tenantId, apiKey } = await createPayTenant(sql);
    await paidInvoice(apiKey, { amount: 10_000 });
    await adjust(tenantId, -900);
    expect(
      await sql`select net::integer, currency from admin.balances where tenant_id = ${tenantId}`,
    ).toEqual([{ net: 9000, currency: 'BRL' }]);
  });
});

describe('filters', () => {
  test('type, currency, provider, source and the control fields', async () => {
    const { id: tenantId, apiKey } = await createPayTenant(sql);
    await sql`select admin.register_cost_center(${tenantId}, 'sales', 'Sales')`;
    const first = await paidInvoice(apiKey, { cost_center: 'sales', contractor_reference: 'C-1' });
    const second = await paidInvoice(apiKey);
    const payout = await createPayout(apiKey);
    await untilStatus(apiKey, `/payouts/${payout.id}`, 'paid');
    const adjustment = await adjust(tenantId, 5, 'USD');
    const [out, two, one] = (await get(apiKey, LIST)).data.slice(1).map(({ id }: { id: string }) => id);
    const expected: [string, string[]][] = [
      ['type=charge', [two, one]],
      ['type=payout', [out]],
      ['type=fee', []],
      ['type=adjustment', [adjustment]],
      ['currency=USD', [adjustment]],
      ['currency=BRL', [out, two, one]],
      ['currency=JPY', []],
      ['provider=sandbox', [out, two, one]],
      // A known provider that is not connected.
      ['provider=asaas', []],
      ['provider=wise', []],
      ['provider=stripe', []],
      [`source=${second.id}`, [two]],
      [`source=${payout.id}`, [out]],
      ['source=inv_01kdvc2v0ke5rtj6wm1s1mkb9d', []],
      ['cost_center=sales', [one]],
      ['contractor_reference=C-1', [one]],
      [`our_number=${first.our_number}`, [one]],
      [`our_number=${payout.our_number}&type=payout`, [out]],
      ['type=charge&currency=USD', []],
    ];
    for (const [query, ids] of expected) expect([query, await idsOf(apiKey, query)]).toEqual([query, ids]);
  });

  test("period is a month in the tenant's time zone", async () => {
    const { id, apiKey } = await createPayTenant(sql);
    // São Paulo is three hours behind UTC.
    const before = await entryAt(id, '2026-03-01T02:59:59.999Z');
    const first = await entryAt(id, '2026-03-01T03:00:00.000Z');
    const last = await entryAt(id, '2026-04-01T02:59:59.999Z');
    const after = await entryAt(id, '2026-04-01T03:00:00.000Z');
    expect(await idsOf(apiKey, 'period=2026-02')).toEqual([before]);
    expect(await idsOf(apiKey, 'period=2026-03')).toEqual([last, first]);
    expect(await idsOf(apiKey, 'period=2026-04')).toEqual([after]);
    expect(await idsOf(apiKey, 'period=2026-12')).toEqual([]);
    expect(await idsOf(apiKey, 'period=9999-12')).toEqual([]);
    await sql`update tenants set time_zone = 'UTC' where id = ${id}`;
    expect(await idsOf(apiKey, 'period=2026-03')).toEqual([first, before]);
  });

  test('available_on and created are inclusive at both ends', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    const one = await entryAt(id, '2026-03-01T12:00:00.123Z', '2026-03-05');
    const two = await entryAt(id, '2026-03-02T00:00:00.000Z', '2026-03-06');
    const expected: [string, string[]][] = [
      ['available_on[gte]=2026-03-05', [two, one]],
      ['available_on[gte]=2026-03-06', [two]],
      ['available_on[lte]=2026-03-05', [one]],
      ['available_on[lte]=2026-03-04', []],
      ['created[gte]=2026-03-01T12:00:00.123Z', [two, one]],
      ['created[gte]=2026-03-01T12:00:00.124Z', [two]],
      ['created[lte]=2026-03-01T12:00:00.123Z', [one]],
      ['created[lte]=2026-03-01T09:00:00.123-03:00', [one]],
      ['created[lte]=2026-03-02', [two, one]],
      ['created[gte]=2026-03-02', [two]],
      ['created%5Bgte%5D=2026-03-02&available_on%5Blte%5D=2026-03-06', [two]],
    ];
    for (const [query, ids] of expected) expect([query, await idsOf(apiKey, query)]).toEqual([query, ids]);
  });

  test.each([
    ['type=refund', 'type'],
    ['provider=acme', 'provider'],
    ['provider=', 'provider'],
    ['period=2026-13', 'period'],
    ['period=2026-3', 'period'],
    ['period=0000-01', 'period'],
    ['available_on[gte]=2026-02-30', 'available_on[gte]'],
    ['available_on[lte]=2026-03-01T00:00:00Z', 'available_on[lte]'],
    ['source=C-1', 'source'],
    ['source=inv_%00', 'source'],
    ['source=inv_1', 'source'],
    ['currency=%00', 'currency'],
    ['currency=brl', 'currency'],
    ['currency=REAL', 'currency'],
    ['currency=', 'currency'],
    ['created[gte]=yesterday', 'created[gte]'],
  ])('rejects %s', async (query, field) => {
    const { apiKey } = await createPayTenant(sql);
    expect(faultsOf(await pay(apiKey, `${LIST}?${query}`), 422, 'validation_error')).toEqual([field]);
  });
});
