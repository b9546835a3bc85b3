// A comparison of an account adds up the orders that changed since they were even, however many there are, and misses none.
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { orderHistory } from '../support/compared-orders.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase();

const uneven = async (db: postgres.Sql | postgres.TransactionSql, accountId: string) => [
  ...(await db`
    select kind, id, provider_reference, currency, ours::integer, theirs::integer, under_way
    from app.uneven_orders(${accountId}) order by provider_reference, currency`),
];

/** Pages of tables and indexes that a comparison looks at. */
async function pagesOf(accountId: string): Promise<number> {
  const [{ 'QUERY PLAN': plan } = {}] =
    await sql`explain (analyze, buffers, format json) select * from app.uneven_orders(${accountId})`;
  const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = plan[0].Plan;
  return hit + read;
}

test('the next comparison looks at what changed alone', async () => {
  const { accountId, tenantId, enter, state } = await orderHistory(sql, 1500);
  const first = await pagesOf(accountId);
  const quiet = await pagesOf(accountId);
  expect(first).toBeGreaterThan(1500);
  expect(quiet).toBeLessThan(first / 10);

  await enter(7, -30);
  await state(8, 250);
  const changed = [
    {
      kind: 'charge',
      id: `${tenantId}:7`,
      provider_reference: 'theirs-7',
      currency: 'BRL',
      ours: 70,
      theirs: 100,
      under_way: false,
    },
    {
      kind: 'charge',
      id: `${tenantId}:8`,
      provider_reference: 'theirs-8',
      currency: 'BRL',
      ours: 100,
      theirs: 350,
      under_way: false,
    },
  ];
  expect(await uneven(sql, accountId)).toEqual(changed);
  // As long as they differ.
  expect(await uneven(sql, accountId)).toEqual(changed);
  expect(await pagesOf(accountId)).toBeLessThan(first / 10);
  await state(7, -30);
  expect(await uneven(sql, accountId)).toEqual(changed.slice(1));
  await enter(8, 250);
  expect(await uneven(sql, accountId)).toEqual([]);
});

test('what changes while a comparison is under way is left for the next one', async () => {
  const { accountId, enter } = await orderHistory(sql, 3);
  await sql.begin(async (comparing) => {
    expect(await uneven(comparing, accountId)).toEqual([]);
    await enter(1, -1);
  });
  expect(await uneven(sql, accountId)).toMatchObject([{ provider_reference: 'theirs-1', ours: 99 }]);
});

test('a line of no order of ours differs, and one that nothing is stated of does not', async () => {
  const { accountId, tenantId, state } = await orderHistory(sql, 2);
  await sql`
    insert into invoices (tenant_id, id, status, customer, amount, currency, region, description, payment_method_type,
                          payment_method, provider, provider_account_id, provider_reference)
    select tenant_id, ${`${tenantId}:unstated`}, status, customer, amount, currency, region, description, payment_method_type,
           payment_method, provider, provider_account_id, 'theirs-unstated'
    from invoices where id = ${`${tenantId}:1`}`;
  await state('stranger', 40);
  expect(await uneven(sql, accountId)).toEqual([
    {
      kind: 'charge',
      id: null,
      provider_reference: 'theirs-stranger',
      currency: 'BRL',
      ours: 0,
      theirs: 40,
      under_way: false,
    },
  ]);
});
