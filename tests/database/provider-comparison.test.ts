// A comparison of an account totals all orders that changed since they last agreed, however many there are.
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { orderHistory } from '../support/payments/compared-orders.ts';

const sql = connectDatabase();

/** More notes than exist. */
const ALL = 10_000;

const uneven = async (
  db: postgres.Sql | postgres.TransactionSql,
  accountId: string,
  atMost: number = ALL,
) => [
  ...(await db`
    select kind, id, provider_reference, currency, ours::integer, theirs::integer, under_way
    from app.uneven_orders(${accountId}, ${atMost}) order by provider_reference, currency`),
];

/** Blocks of tables and indexes that a comparison reads. */
async function pagesOf(accountId: string): Promise<number> {
  const [{ 'QUERY PLAN': plan } = {}] =
    await sql`explain (analyze, buffers, format json) select * from app.uneven_orders(${accountId}, ${ALL})`;
  const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = plan[0].Plan;
  return hit + read;
}

test('the next comparison covers only what changed', async () => {
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

test('changes during a comparison do not wait, and are left for the next one', async () => {
  const { accountId, enter } = await orderHistory(sql, 3);
  await sql.begin(async (comparing) => {
    expect(await uneven(comparing, accountId)).toEqual([]);
    await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '5s'`;
      await enter(1, -1, tx);
    });
  });
  expect(await uneven(sql, accountId)).toMatchObject([{ provider_reference: 'theirs-1', ours: 99 }]);
  await enter(1, 1);
  expect(await uneven(sql, accountId)).toEqual([]);
});

test('an entry that is created before a comparison and committed after it is left for the next one', async () => {
  const { accountId, enter } = await orderHistory(sql, 2);
  const writer = await sql.reserve();
  await writer`begin`;
  await enter(2, -1, writer);
  expect(await uneven(sql, accountId)).toEqual([]);
  await writer`commit`;
  writer.release();
  expect(await uneven(sql, accountId)).toMatchObject([{ provider_reference: 'theirs-2', ours: 99 }]);
});

test('a statement line without an order of ours is a difference; an order without a line is not', async () => {
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

test('with many changes: first those never compared, oldest first, then those that differed longest ago', async () => {
  const { accountId, state, enter } = await orderHistory(sql, 4);
  expect(await uneven(sql, accountId)).toEqual([]);
  const compare = async (atMost: number) =>
    (await uneven(sql, accountId, atMost)).map(({ provider_reference }) => provider_reference);
  const isLeft = async () => (await sql`select app.has_orders_to_compare(${accountId}) as left`)[0]?.left;
  for (const order of [3, 1, 2]) await state(order, 5);
  expect(await compare(2)).toEqual(['theirs-1', 'theirs-3']);
  expect(await isLeft()).toBe(true);
  await state(4, 5);
  // An account that always differs does not prevent the comparison of others.
  expect(await compare(2)).toEqual(['theirs-2', 'theirs-4']);
  expect(await isLeft()).toBe(false);
  expect(await compare(2)).toEqual(['theirs-1', 'theirs-3']);
  for (const order of [1, 2, 3, 4]) await enter(order, 5);
  expect(await compare(ALL)).toEqual([]);
  const [notes] =
    await sql`select count(*)::integer from private.provider_orders_to_compare where account_id = ${accountId}`;
  expect(notes).toEqual({ count: 0 });
});

test('earlier differences are summed up again, whichever changes are compared', async () => {
  const { accountId, tenantId, state, enter } = await orderHistory(sql, 3);
  await uneven(sql, accountId);
  for (const order of [1, 2]) await state(order, 5);
  await sql`
    insert into provider_differences (tenant_id, account_id, kind, subject, ours, theirs)
    values (${tenantId}, ${accountId}, 'amount', 'one', '{}', ${sql.json({ kind: 'charge', id: 'theirs-1' })})`;
  const again = async (references: string[]) => {
    const orders = references.map((provider_reference) => ({ kind: 'charge', provider_reference }));
    const rows = await sql`
      select provider_reference from app.uneven_again(${accountId}, ${sql.json(orders)}) order by 1`;
    return rows.map(({ provider_reference }) => provider_reference);
  };
  expect(await again([])).toEqual(['theirs-1']);
  expect(await again(['theirs-2', 'theirs-3'])).toEqual(['theirs-1', 'theirs-2']);
  await enter(1, 5);
  expect(await again([])).toEqual([]);
});
