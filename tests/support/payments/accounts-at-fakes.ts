/** Accounts at the fakes of the stack, for tests that connect them as an admin does. */
import type postgres from 'postgres';
import { inject } from 'vitest';
import { controlOf } from '../../../local/fakes/controls.ts';
import type { Asaas } from '../../../local/providers/asaas/index.ts';
import type { Stripe } from '../../../local/providers/stripe/index.ts';
import type { Wise } from '../../../local/providers/wise/index.ts';
import { waitFor } from '../wait-for.ts';

export const atAsaas = (): Asaas['control'] => controlOf(inject('env').ASAAS_URL ?? '');
export const atWise = (): Wise['control'] => controlOf(inject('env').WISE_URL ?? '');
export const atStripe = (): Stripe['control'] => controlOf(inject('env').STRIPE_URL ?? '');

/** Waits until an account has this state. Returns it as admins see it. */
export const untilAccountIs = (
  sql: postgres.Sql,
  id: string,
  so: (account: postgres.Row) => boolean,
): Promise<postgres.Row> =>
  waitFor(async () => {
    const [account] = await sql`select * from admin.provider_accounts where id = ${id}`;
    return account !== undefined && so(account) && account;
  });

/** The result of a connect function. */
export async function connected(query: postgres.PendingQuery<postgres.Row[]>): Promise<string> {
  const [row] = await query;
  return row?.id;
}

export const connectAsaas = (
  sql: postgres.Sql | postgres.TransactionSql,
  tenant: string,
  key: string,
  settings: object = {},
) => connected(sql`select admin.connect_asaas(${tenant}, ${key}, ${sql.json({ ...settings })}) as id`);

export const connectStripe = (sql: postgres.Sql, tenant: string, key: string) =>
  connected(sql`select admin.connect_stripe(${tenant}, ${key}) as id`);

export const connectWise = (
  sql: postgres.Sql | postgres.TransactionSql,
  tenant: string,
  token: string,
  profile: number,
) =>
  connected(
    sql`select admin.connect_wise(${tenant}, ${token}, ${sql.json({ profile_id: profile, source_currency: 'EUR' })}) as id`,
  );
