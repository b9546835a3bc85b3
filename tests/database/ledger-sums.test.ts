// A balance is the sum of the ledger, however much of it was totaled earlier.
import { expect, test } from 'vitest';
import { getBalance } from '../../shared/payments/ledger/reads.ts';
import type { Context } from '../../shared/platform/access/context.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase();

async function makeTenant(): Promise<string> {
  const slug = `sums-${crypto.randomUUID()}`;
  const [row] = await sql`select admin.create_tenant('Sums', ${slug}) as id`;
  return row?.id;
}

/** Entries of a period, each available on a date that may be long before or after it. */
const enter = (tenantId: string, count: number, daysAgo: number, seed: number) => sql`
  insert into balance_transactions (tenant_id, type, amount, currency, net, available_on, created)
  select ${tenantId}, 'adjustment', v, c, v, (now() - make_interval(days => ${daysAgo}) + make_interval(days => i * 7 % 91 - 45))::date,
         now() - make_interval(days => ${daysAgo}) - make_interval(secs => i)
  from generate_series(1, ${count}) as i,
       lateral (select (i * ${seed} % 1009 - 500)::bigint as v, (array['BRL', 'EUR', 'USD'])[1 + i % 3] as c)`;

const balanceOf = (tenantId: string) =>
  getBalance({
    tenantId,
    // Reads as the owner. Other tests cover a tenant's view.
    read: async (build: (tx: typeof sql) => unknown) => build(sql),
  } as unknown as Context);

const plainSums = async (tenantId: string) => {
  const rows = await sql`
    select currency, coalesce(sum(net) filter (where available_on <= today), 0)::integer as available,
           coalesce(sum(net) filter (where available_on > today), 0)::integer as pending
    from balance_transactions b, (select (now() at time zone time_zone)::date as today from tenants where id = ${tenantId}) as t
    where tenant_id = ${tenantId} group by currency order by currency`;
  return { data: rows.map((row) => ({ ...row })) };
};

test('totals include later entries and entries for earlier days, before and after they are summed up', async () => {
  const tenantId = await makeTenant();
  await enter(tenantId, 600, 90, 17);
  expect(await balanceOf(tenantId)).toEqual(await plainSums(tenantId));
  await sql`select app.sum_up_ledgers()`;
  const [sums] =
    await sql`select net, created_before < now() - interval '59 minutes' as late from ledger_sums where tenant_id = ${tenantId}`;
  expect(Object.keys(sums?.net)).toHaveLength(3);
  expect(sums?.late).toBe(true);
  expect(await balanceOf(tenantId)).toEqual(await plainSums(tenantId));

  await enter(tenantId, 50, 0, 31);
  expect(await balanceOf(tenantId)).toEqual(await plainSums(tenantId));
});

test('summing up repeatedly changes nothing, and small ledgers are skipped', async () => {
  const [big, small] = [await makeTenant(), await makeTenant()];
  await enter(small, 20, 30, 7);
  for (const [daysAgo, seed] of [
    [60, 3],
    [40, 5],
    [20, 11],
  ] as const) {
    await enter(big, 40, daysAgo, seed);
    // As of that day: later entries are not included.
    await sql`select app.sum_up_ledgers(1000, 40)`;
    await sql`
      update ledger_sums
      set created_before = now() - make_interval(days => ${daysAgo - 10}),
          net = (select jsonb_object_agg(currency, net) from (
            select currency, sum(net) as net from balance_transactions b
            where b.tenant_id = ${big} and b.available_on <= ledger_sums.available_by group by currency) as s)
      where tenant_id = ${big}`;
    expect(await balanceOf(big)).toEqual(await plainSums(big));
  }
  await sql`select app.sum_up_ledgers()`;
  expect(await balanceOf(big)).toEqual(await plainSums(big));
  expect(await sql`select from ledger_sums where tenant_id = ${small}`).toEqual([]);
});
