// Wise payouts, and the actions of banks and people.
import type postgres from 'postgres';
import type { TransferStep } from '../../../local/providers/wise/index.ts';
import type { ConnectedWise } from './connected-wise-stripe.ts';
import { bodyOf } from './payment-flows.ts';
import { pay, transferPayout } from './payments.ts';

const ADDRESS = { line1: '1 Main St', city: 'Boston', state: 'MA', postal_code: '02110', country: 'US' };

/** USD 70.00 to Boston: a currency other than that of the balance. */
export const dollarPayout = (more: Record<string, unknown> = {}) =>
  transferPayout({
    beneficiary: {
      name: 'Ann Lee',
      document: 'X123',
      phone: '+12025550123',
      type: 'person',
      address: ADDRESS,
      bank_account: {
        type: 'bank_transfer',
        country: 'US',
        routing_number: '111000025',
        account_number: '12345678',
      },
    },
    amount: 7_000,
    currency: 'USD',
    ...more,
  });

export const payoutIn = (currency: string, more: Record<string, unknown> = {}) =>
  currency === 'USD' ? dollarPayout(more) : transferPayout(more);

interface MadePayout {
  id: string;
  path: string;
  transfer: number;
}

/** A payout and its transfer at Wise. */
export async function createWisePayout(
  sql: postgres.Sql,
  { apiKey }: ConnectedWise,
  body: unknown = transferPayout(),
): Promise<MadePayout> {
  const { id } = bodyOf(await pay(apiKey, '/payouts', body), 201);
  const [row] = await sql`select provider, provider_reference from payouts where id = ${id}`;
  if (row?.provider !== 'wise') throw new Error(`${row?.provider} took it`);
  return { id, path: `/payouts/${id}`, transfer: Number(row.provider_reference) };
}

/** Moves the transfer through these states, in order. */
export async function steps(
  { control, account }: ConnectedWise,
  { transfer }: MadePayout,
  ...orders: TransferStep[]
): Promise<void> {
  for (const order of orders) await control.transfer(account.id, transfer, order);
}

/** From processing to sent. */
export const SENT: TransferStep[] = [{ step: 'next' }, { step: 'next' }];

export const transfersOf = async ({ control, account }: ConnectedWise) =>
  (await control.account(account.id, 'transfers')).transfers;
