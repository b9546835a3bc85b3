// The three lists: order, pages, and the filters of invoices and payouts. The filters of the ledger are tested with its entries.
import { describe, expect, test } from 'vitest';
import { connectDatabase, type Tenant } from '../../support/database.ts';
import {
  bodyOf,
  createInvoice,
  createPayout,
  createPayTenant,
  faultsOf,
  get,
  paidInvoice,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const UNKNOWN = '01kdvc2v0ke5rtj6wm1s1mkb9d';

async function adjust({ id }: Tenant): Promise<string> {
  const [row] = await sql`select admin.adjust_balance(${id}, 1, 'BRL', 'a reason') as id`;
  return row?.id;
}

interface List {
  path: string;
  prefix: string;
  make(tenant: Tenant): Promise<string>;
}
const lists: List[] = [
  { path: '/invoices', prefix: 'inv', make: async ({ apiKey }) => (await createInvoice(apiKey)).id },
  { path: '/payouts', prefix: 'po', make: async ({ apiKey }) => (await createPayout(apiKey)).id },
  { path: '/balance-transactions', prefix: 'btxn', make: adjust },
];

async function idsOf(apiKey: string, target: string): Promise<[string[], boolean]> {
  const { data, has_more } = await get(apiKey, target);
  return [data.map(({ id }: { id: string }) => id), has_more];
}

/** This many resources of a list, newest first. */
async function makeSome({ make }: List, tenant: Tenant, count: number): Promise<string[]> {
  const made: string[] = [];
  for (let i = 0; i < count; i++) made.unshift(await make(tenant));
  return made;
}

describe.each(lists)('$path', (list) => {
  const { path, prefix } = list;

  test('is empty at first, then newest first with the resources as returned by GET', async () => {
    const tenant = await createPayTenant(sql);
    const { apiKey } = tenant;
    expect(bodyOf(await pay(apiKey, path), 200)).toEqual({ data: [], has_more: false });
    const ids = await makeSome(list, tenant, 3);
    expect(await idsOf(apiKey, path)).toEqual([ids, false]);
    const { data } = await get(apiKey, `${path}?limit=1`);
    const { status: _, ...stable } = data[0];
    expect(await get(apiKey, `${path}/${ids[0]}`)).toMatchObject(stable);
  });

  test('is read in pages, forwards and backwards', async () => {
    const tenant = await createPayTenant(sql);
    const { apiKey } = tenant;
    const [e, d, c, b, a] = (await makeSome(list, tenant, 5)) as [string, string, string, string, string];
    const pages: [string, string[], boolean][] = [
      ['limit=5', [e, d, c, b, a], false],
      ['limit=4', [e, d, c, b], true],
      ['limit=100', [e, d, c, b, a], false],
      [`limit=2&starting_after=${e}`, [d, c], true],
      [`limit=2&starting_after=${c}`, [b, a], false],
      [`limit=2&starting_after=${a}`, [], false],
      [`starting_after=${d}`, [c, b, a], false],
      [`limit=2&ending_before=${a}`, [c, b], true],
      [`limit=2&ending_before=${c}`, [e, d], false],
      [`limit=3&ending_before=${b}`, [e, d, c], false],
      [`limit=1&ending_before=${c}`, [d], true],
      [`ending_before=${e}`, [], false],
    ];
    for (const [query, ids, more] of pages) {
      expect([query, ...(await idsOf(apiKey, `${path}?${query}`))]).toEqual([query, ids, more]);
    }
  });

  test('has 20 items per page by default, and changes by other tenants do not affect a page', async () => {
    const tenant = await createPayTenant(sql);
    const other = await createPayTenant(sql);
    const [mine] = await makeSome(list, tenant, 1);
    const theirs = await Promise.all(Array.from({ length: 21 }, () => list.make(other)));
    const [first, more] = await idsOf(other.apiKey, path);
    expect([first.length, more]).toEqual([20, true]);
    const [rest, none] = await idsOf(other.apiKey, `${path}?starting_after=${first.at(-1)}`);
    expect([[...first, ...rest].sort(), none]).toEqual([theirs.sort(), false]);
    expect(await idsOf(tenant.apiKey, `${path}?limit=100`)).toEqual([[mine], false]);
  });

  test('treats an unknown or foreign cursor as a position', async () => {
    const tenant = await createPayTenant(sql);
    const other = await createPayTenant(sql);
    const [old] = await makeSome(list, tenant, 1);
    const [foreign] = await makeSome(list, other, 1);
    const [young] = await makeSome(list, tenant, 1);
    expect(await idsOf(tenant.apiKey, `${path}?starting_after=${foreign}`)).toEqual([[old], false]);
    expect(await idsOf(tenant.apiKey, `${path}?ending_before=${foreign}`)).toEqual([[young], false]);
    expect((await idsOf(tenant.apiKey, `${path}?ending_before=${prefix}_${UNKNOWN}`))[0]).toEqual([
      young,
      old,
    ]);
    expect(await idsOf(tenant.apiKey, `${path}?starting_after=${prefix}_${UNKNOWN}`)).toEqual([[], false]);
  });

  const otherPrefix = prefix === 'inv' ? 'po' : 'inv';
  test.each([
    ['limit=0', ['limit']],
    ['limit=101', ['limit']],
    ['limit=-1', ['limit']],
    ['limit=1.5', ['limit']],
    ['limit=', ['limit']],
    ['limit=ten', ['limit']],
    ['limit=1e1', ['limit']],
    ['limit=0x10', ['limit']],
    ['limit=%2010', ['limit']],
    ['starting_after=', ['starting_after']],
    ['starting_after=x', ['starting_after']],
    [`starting_after=${otherPrefix}_${UNKNOWN}`, ['starting_after']],
    [`ending_before=${prefix}_${UNKNOWN.toUpperCase()}`, ['ending_before']],
    [`ending_before=${prefix}_%00`, ['ending_before']],
    [`starting_after=${prefix}_${UNKNOWN}&ending_before=${prefix}_${UNKNOWN}`, ['ending_before']],
    ['created[gte]=2026-02-30', ['created[gte]']],
    ['created[lte]=2026-01-01T00:00:00', ['created[lte]']],
    ['created%5Blte%5D=1767225600', ['created[lte]']],
    ['cost_center=%00', ['cost_center']],
    ['our_number=a%00', ['our_number']],
    ['contractor_reference=%00', ['contractor_reference']],
    ['limit=0&created[gte]=x&starting_after=y', ['created[gte]', 'limit', 'starting_after']],
  ])('rejects %s', async (query, fields) => {
    const { apiKey } = await createPayTenant(sql);
    const faults = faultsOf(await pay(apiKey, `${path}?${query}`), 422, 'validation_error');
    expect(faults.sort()).toEqual(fields);
  });

  test('ignores unknown parameters', async () => {
    const tenant = await createPayTenant(sql);
    const ids = await makeSome(list, tenant, 1);
    const query = 'page=2&tenant_id=x&created=2020-01-01&created[gt]=x&sort=amount&constructor=1';
    expect(await idsOf(tenant.apiKey, `${path}?${query}`)).toEqual([ids, false]);
  });

  test('filters by exact control fields', async () => {
    const tenant = await createPayTenant(sql);
    const [id] = await makeSome(list, tenant, 1);
    const { created } = await get(tenant.apiKey, `${path}/${id}`);
    const later = new Date(Date.parse(created) + 1).toISOString();
    const earlier = new Date(Date.parse(created) - 1).toISOString();
    for (const [query, ids] of [
      [`created[gte]=${created}&created[lte]=${created}`, [id]],
      [`created[gte]=${later}`, []],
      [`created[lte]=${earlier}`, []],
      ['created[gte]=2020-01-01&created[lte]=2120-01-01T00:00:00-03:00', [id]],
      ['cost_center=%27%20or%20true--', []],
      ['contractor_reference=%25', []],
      ['our_number=INV', []],
    ] as const) {
      const reply = await idsOf(tenant.apiKey, `${path}?${query}`);
      expect([query, ...reply]).toEqual([query, ids, false]);
    }
  });
});

test('filters of invoices', async () => {
  const { id: tenantId, apiKey } = await createPayTenant(sql);
  await sql`select admin.register_cost_center(${tenantId}, 'a b', 'A B')`;
  const paid = (await paidInvoice(apiKey, { cost_center: 'a b' })).id;
  const boleto = await createInvoice(apiKey, {
    payment_method: { type: 'boleto' },
    contractor_reference: 'É+1',
  });
  const canceled = (await createInvoice(apiKey, { payment_method: { type: 'bolepix' } })).id;
  bodyOf(await pay(apiKey, `/invoices/${canceled}/cancel`, {}), 200);
  const card = { payment_method: { type: 'card' }, amount: 1017 };
  const failed = (await createInvoice(apiKey, card)).id;
  await untilStatus(apiKey, `/invoices/${failed}`, 'failed');
  for (const [query, ids] of [
    ['status=open', [boleto.id]],
    ['status=paid', [paid]],
    ['status=canceled', [canceled]],
    ['status=failed', [failed]],
    ['payment_method.type=pix', [paid]],
    ['payment_method.type=boleto', [boleto.id]],
    ['payment_method.type=bolepix', [canceled]],
    ['payment_method.type=card', [failed]],
    ['cost_center=a%20b', [paid]],
    ['cost_center=a+b', [paid]],
    ['contractor_reference=%C3%89%2B1', [boleto.id]],
    [`our_number=${boleto.our_number}`, [boleto.id]],
    ['status=open&payment_method.type=card', []],
    ['status=paid&cost_center=a%20b&limit=1', [paid]],
  ] as const) {
    expect([query, ...(await idsOf(apiKey, `/invoices?${query}`))]).toEqual([query, ids, false]);
  }
  for (const [query, field] of [
    ['status=creating', 'status'],
    ['status=', 'status'],
    ['status=OPEN', 'status'],
    ['payment_method.type=cash', 'payment_method.type'],
  ] as const) {
    expect(faultsOf(await pay(apiKey, `/invoices?${query}`), 422, 'validation_error')).toEqual([field]);
  }
});

test('filters of payouts', async () => {
  const { id: tenantId, apiKey } = await createPayTenant(sql);
  await sql`select admin.register_cost_center(${tenantId}, 'prizes', 'Prizes')`;
  const paid = await createPayout(apiKey, pixPayout({ cost_center: 'prizes' }));
  const failed = await createPayout(apiKey, transferPayout({ amount: 1017, contractor_reference: 'R-1' }));
  await untilStatus(apiKey, `/payouts/${paid.id}`, 'paid');
  await untilStatus(apiKey, `/payouts/${failed.id}`, 'failed');
  for (const [query, ids] of [
    ['status=paid', [paid.id]],
    ['status=failed', [failed.id]],
    ['status=processing', []],
    ['status=created', []],
    ['status=incoming_payment_waiting', []],
    ['status=canceled', []],
    ['provider=sandbox', [failed.id, paid.id]],
    ['cost_center=prizes', [paid.id]],
    ['contractor_reference=R-1', [failed.id]],
    [`our_number=${paid.our_number}`, [paid.id]],
  ] as const) {
    expect([query, ...(await idsOf(apiKey, `/payouts?${query}`))]).toEqual([query, ids, false]);
  }
  for (const [query, field] of [
    ['status=open', 'status'],
    ['status=cancelled', 'status'],
    ['provider=acme', 'provider'],
    ['provider=Sandbox', 'provider'],
  ] as const) {
    expect(faultsOf(await pay(apiKey, `/payouts?${query}`), 422, 'validation_error')).toEqual([field]);
  }
});

test.each([
  ['/invoices', 'status=open&status=paid', ['status']],
  ['/invoices', 'limit=5&limit=5', ['limit']],
  ['/invoices', 'limit=0&limit=5&our_number=a&our_number=b', ['limit', 'our_number']],
  ['/payouts', 'provider=sandbox&provider=sandbox', ['provider']],
  ['/payouts', 'created[gte]=2026-01-01&created%5Bgte%5D=2026-02-01', ['created[gte]']],
  ['/balance-transactions', 'period=2026-01&period=2026-02&type=fee', ['period']],
])('%s?%s: rejects a repeated parameter', async (path, query, fields) => {
  const { apiKey } = await createPayTenant(sql);
  expect(faultsOf(await pay(apiKey, `${path}?${query}`), 422, 'validation_error').sort()).toEqual(fields);
  // Unknown parameters are ignored, even if they are repeated.
  expect((await pay(apiKey, `${path}?page=1&page=2`)).status).toBe(200);
});
