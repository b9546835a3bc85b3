// A new tenant with an account at the Wise or Stripe fake of the stack: created with the fake's control API, connected as
// an admin does it, and checked until it is active. Nothing here changes the clocks of the fakes, which other tests share.
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { Stripe, AccountOrder as StripeOrder } from '../../../local/providers/stripe/index.ts';
import type { Wise, AccountOrder as WiseOrder } from '../../../local/providers/wise/index.ts';
import type { Tenant } from '../database.ts';
import { sweepNow } from '../sweep.ts';
import { waitFor } from '../wait-for.ts';
import { atStripe, atWise } from './accounts-at-fakes.ts';
import { createPayTenant } from './payment-flows.ts';

export interface Connected<Account, Control> {
  tenant: Tenant;
  apiKey: string;
  /** Our id of the account. */
  id: string;
  /** The provider's id of the account. */
  account: Account;
  control: Control;
}
export type ConnectedStripe = Connected<{ id: string; apiKey: string }, Stripe['control']>;
export type ConnectedWise = Connected<{ id: string; token: string; profile: number }, Wise['control']>;

export async function connectedStripe(
  sql: postgres.Sql,
  { options, ...order }: StripeOrder = {},
  tenant?: Tenant,
): Promise<ConnectedStripe> {
  const control = atStripe();
  const account = await control.createAccount({
    ...order,
    options: { balanceTransactionMs: 0, ...options },
  });
  const owner = tenant ?? (await createPayTenant(sql));
  const [row] = await sql`select admin.connect_stripe(${owner.id}, ${account.apiKey}) as id`;
  await untilAccount(sql, row?.id, 'active');
  return { tenant: owner, apiKey: owner.apiKey, id: row?.id, account, control };
}

/** Pays from EUR, with a balance of 10 000. Transfers stay in the state that the test sets, unless specified otherwise. */
export async function connectedWise(
  sql: postgres.Sql,
  { options, sourceCurrency = 'EUR', ...order }: WiseOrder & { sourceCurrency?: string } = {},
  tenant?: Tenant,
): Promise<ConnectedWise> {
  const control = atWise();
  const account = await control.createAccount({
    balances: { EUR: 10_000 },
    ...order,
    options: { transfers: 'held', ...options },
  });
  const owner = tenant ?? (await createPayTenant(sql));
  const settings = { profile_id: account.profile, source_currency: sourceCurrency };
  const [row] =
    await sql`select admin.connect_wise(${owner.id}, ${account.token}, ${sql.json(settings)}) as id`;
  await untilAccount(sql, row?.id, 'active');
  return { tenant: owner, apiKey: owner.apiKey, id: row?.id, account, control };
}

export const untilAccount = (sql: postgres.Sql, id: string, status: string) =>
  waitFor(async () => {
    const [row] = await sql`select * from admin.provider_accounts where id = ${id}`;
    return row?.status === status && row;
  });

/** Makes this job due. */
export async function due(sql: postgres.Sql, name: string, key: string): Promise<void> {
  await waitFor(
    async () =>
      (
        await sql`
          update jobs set due_at = now()
          where name = ${name} and key = ${key} and finished_at is null and locked_until is null returning id`
      ).length > 0,
  );
  await sweepNow();
}

/** Compares the account with its provider, and waits for the result. */
export async function reconcile(sql: postgres.Sql, id: string): Promise<void> {
  const [before] = await sql`select clock_timestamp() as now`;
  await sql`select admin.reconcile_provider(${id})`;
  await waitFor(
    async () =>
      (
        await sql`
          select from provider_accounts where id = ${id} and reconciled_at > ${before?.now}`
      ).length > 0,
  );
}

/** Compares, and expects that ledger, statement and balance agree to the cent in each currency, and that nothing is unexplained. */
export async function expectReconciled(
  sql: postgres.Sql,
  { id }: { id: string },
  stated: () => Promise<Record<string, number>>,
) {
  await reconcile(sql, id);
  expect(await differencesOf(sql, id)).toEqual([]);
  expect(await ledgerSums(sql, id)).toEqual(await stated());
}

/** Differences that the comparison could not explain. */
export const differencesOf = (sql: postgres.Sql, id: string) =>
  sql`select kind, ours, theirs from admin.provider_differences where account_id = ${id} and resolved_at is null order by id`;

/** Totals of the ledger entries of an account by currency, except those that are zero. */
async function ledgerSums(sql: postgres.Sql, id: string): Promise<Record<string, number>> {
  const rows = await sql`
    select currency, sum(net)::integer as sum from balance_transactions where provider_account_id = ${id} group by 1 order by 1`;
  return nonZero(rows.map(({ currency, sum }) => [currency, sum]));
}

/** Entries of an invoice or payout, oldest first. */
export const entriesOf = async (sql: postgres.Sql, order: string) =>
  (
    await sql`
      select type, reason, currency, amount::integer, fee::integer, net::integer from balance_transactions
      where invoice_id = ${order} or payout_id = ${order} order by id`
  ).map(({ type, reason, currency, amount, fee }) => [reason ?? type, currency, amount, fee]);

export function nonZero(sums: [string, number][]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const [currency, sum] of sums) all[currency] = (all[currency] ?? 0) + sum;
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, sum]) => sum !== 0)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

/** Balance transactions at Stripe, and cash balances of customers who pay by bank transfer, so that partial payments count. */
export async function stripeSums({ control, account }: ConnectedStripe): Promise<Record<string, number>> {
  const { transactions, cashTransactions, intents } = await control.account(
    account.id,
    'transactions',
    'cashTransactions',
    'intents',
  );
  const complete = new Set(
    intents.filter(({ status }) => status === 'succeeded').map(({ customer }) => customer),
  );
  return nonZero([
    ...transactions.map(({ currency, net }): [string, number] => [currency.toUpperCase(), net]),
    ...cashTransactions
      .filter(
        ({ type, customer }) =>
          !type.endsWith('_payment') || type.startsWith('refunded') || complete.has(customer),
      )
      .map(({ currency, net_amount }): [string, number] => [currency.toUpperCase(), net_amount]),
  ]);
}

/** Movements of the balances at Wise since the account was created. */
export async function wiseSums({ control, account }: ConnectedWise): Promise<Record<string, number>> {
  const { profiles } = await control.account(account.id, 'profiles');
  return nonZero(
    profiles.flatMap(({ balances }) =>
      balances.flatMap(({ currency, entries }) =>
        entries.map(({ amount }): [string, number] => [currency, amount]),
      ),
    ),
  );
}

/** Waits for this many events of a type, and checks that there are no more. */
export async function untilEvents(
  sql: postgres.Sql,
  { id }: Tenant,
  type: string,
  count = 1,
): Promise<postgres.RowList<postgres.Row[]>> {
  const read = () => sql`select * from events where tenant_id = ${id} and type = ${type}`;
  await waitFor(async () => (await read()).length >= count);
  const events = await read();
  expect(events).toHaveLength(count);
  return events;
}

/** Waits until all notifications of the provider about an account have been processed. */
export async function waitForNotifications(
  sql: postgres.Sql,
  {
    id,
    control,
    account,
  }: Connected<{ id: string }, { deliveries(of: { account: string }): Promise<{ state: string }[]> }>,
): Promise<void> {
  await waitFor(async () => {
    const open = (await control.deliveries({ account: account.id })).filter(
      ({ state }) => state === 'waiting',
    );
    const [left] = await sql`
      select count(*)::integer as count from provider_account_events where account_id = ${id} and applied_at is null and about is not null`;
    return open.length === 0 && left?.count === 0;
  });
}
