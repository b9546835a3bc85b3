// A history of payouts at Wise, with lost, duplicate and reordered events: afterwards the books match to the cent.
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { TransferStep } from '../../../local/providers/wise/index.ts';
import { connectedWise, expectReconciled, wiseSums } from '../../support/payments/connected-wise-stripe.ts';
import { pay } from '../../support/payments/payments.ts';
import { payoutIn, transfersOf } from '../../support/payments/wise-payouts.ts';
import { createCaller } from './caller.ts';
import { createDice, type HistoryOptions, ifItCan, play, type Weighted } from './play.ts';
import { bringForward, waitForNotifications } from './settle.ts';

const STEPS: TransferStep[] = [
  { step: 'next' },
  { step: 'bounce' },
  { step: 'refund' },
  { step: 'cancel' },
  { step: 'pay-in', method: 'BALANCE' },
  { step: 'pay-in', method: 'BANK_TRANSFER' },
];
/** The possible next states of each state. */
const FOLLOWING: Record<string, TransferStep['step'][]> = {
  incoming_payment_waiting: ['pay-in', 'cancel'],
  processing: ['next', 'next', 'cancel'],
  funds_converted: ['next'],
  outgoing_payment_sent: ['bounce'],
  bounced_back: ['refund'],
  cancelled: ['refund'],
};
const ENDED = ['outgoing_payment_sent', 'funds_refunded', 'incoming_payment_waiting'];

type Transfer = Awaited<ReturnType<typeof transfersOf>>[number];

export async function wiseHistory(sql: postgres.Sql, options: HistoryOptions): Promise<void> {
  const dice = createDice(options.seed);
  const wise = await connectedWise(sql, {
    balances: { EUR: 5_000, USD: 100 },
  });
  const { control, account, apiKey, tenant, id: accountId } = wise;
  const caller = createCaller(apiKey);

  const take = async ({ id, states, payments }: Transfer, ends: boolean) => {
    const state = states.at(-1) ?? '';
    if (state === 'cancelled' && payments.length === 0) return;
    if (ends && state === 'outgoing_payment_sent') return;
    const step = ends && state === 'processing' ? 'next' : dice.one(FOLLOWING[state] ?? []);
    const order = dice.one(STEPS.filter((one) => one.step === step));
    if (!order) return;
    const kept =
      order.step === 'refund' && dice.number(4) === 0 ? { ...order, amount: 1 + dice.number(20) } : order;
    await ifItCan(control.transfer(account.id, id, kept));
  };
  const follow = async () => {
    const transfer = dice.one(await transfersOf(wise));
    if (transfer) await take(transfer, false);
  };

  const operations: Weighted[] = [
    [
      35,
      () =>
        caller.order(
          '/payouts',
          payoutIn(dice.one(['EUR', 'USD']) ?? 'EUR', { amount: 500 + dice.number(40_000) }),
        ),
    ],
    [42, follow],
    [4, () => pay(apiKey, `/payouts/${dice.one(caller.made)}/cancel`, {})],
    [4, () => ifItCan(control.topUp(account.id, { currency: 'EUR', amount: dice.number(2_000) + 1 }))],
    [2, () => ifItCan(control.convert(account.id, { from: 'EUR', to: 'USD', amount: 20, fee: 0.11 }))],
    [1, () => ifItCan(control.statement(account.id, { currency: 'EUR', amount: -2.5 }))],
    [
      6,
      () =>
        control.webhookFault({
          kind: dice.one(['lost', 'duplicated', 'reordered'] as const) ?? 'lost',
          times: 1 + dice.number(5),
          account: account.id,
        }),
    ],
    [
      3,
      () =>
        control.fault({
          kind: dice.one(['cut_after', 'rate_limited', 'error_after'] as const) ?? 'cut_after',
          path: dice.one(['/*/transfers', '/*/payments', '/*/transfers/*']) ?? '/*',
          account: account.id,
        }),
    ],
    [3, () => caller.again(dice.one)],
  ];
  await play(dice, operations, options);

  // All services work again, and all work finishes.
  await control.clearFaults();
  await control.clearWebhookFaults();
  await caller.finish(() => bringForward(sql, tenant.id));
  for (;;) {
    const open = (await transfersOf(wise)).filter(
      ({ states, payments }) =>
        !ENDED.includes(states.at(-1) ?? '') && !(states.at(-1) === 'cancelled' && payments.length === 0),
    );
    if (open.length === 0) break;
    for (const transfer of open) await take(transfer, true);
  }
  await waitForNotifications(sql, { tenantId: tenant.id, accountId, theirId: account.id, control });

  const transfers = await transfersOf(wise);
  expect(transfers.length).toBeGreaterThan(options.count / 10);
  await expectReconciled(sql, wise, () => wiseSums(wise));
  // Each order exists once at Wise.
  const [ours] = await sql`
    select count(*)::integer as payouts from payouts where tenant_id = ${tenant.id} and status <> 'creating'`;
  expect(transfers.length).toBe(ours?.payouts);
}
