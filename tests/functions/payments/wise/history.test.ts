// A random history of payouts by Wise, with events lost, doubled and out of order: afterwards the books agree to the cent.
import { expect, test } from 'vitest';
import type { TransferStep } from '../../../../local/providers/wise/control.ts';
import { connectedWise, expectEven, wiseSums } from '../../../support/connected-wise-stripe.ts';
import { connectDatabase } from '../../../support/database.ts';
import { createDice, historyLength, historySeed, ifItCan } from '../../../support/history.ts';
import { pay } from '../../../support/payments.ts';
import { payoutIn, transfersOf } from '../../../support/wise-payouts.ts';

const sql = connectDatabase(undefined, { announces: true });

const STEPS: TransferStep[] = [
  { step: 'next' },
  { step: 'bounce' },
  { step: 'refund' },
  { step: 'cancel' },
  { step: 'pay-in', method: 'BALANCE' },
  { step: 'pay-in', method: 'BANK_TRANSFER' },
];
/** What each state can be followed by. */
const FOLLOWING: Record<string, TransferStep['step'][]> = {
  incoming_payment_waiting: ['pay-in', 'cancel'],
  processing: ['next', 'next', 'cancel'],
  funds_converted: ['next'],
  outgoing_payment_sent: ['bounce'],
  bounced_back: ['refund'],
  cancelled: ['refund'],
};

test('ledger, statement and balance agree', async () => {
  const dice = createDice(historySeed());
  const wise = await connectedWise(sql, {
    balances: { EUR: 5_000, USD: 100 },
    options: { rateLimit: { requests: 1_000_000, seconds: 1 }, swiftReturnPercent: 3 },
  });
  const { control, account, apiKey } = wise;
  const made: string[] = [];

  const follow = async (ends: boolean) => {
    const transfer = dice.one(await transfersOf(wise));
    if (transfer) await take(transfer, ends);
  };
  const take = async (
    { id, states, payments }: Awaited<ReturnType<typeof transfersOf>>[number],
    ends: boolean,
  ) => {
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

  for (let turn = 0; turn < historyLength(100); turn += 1) {
    const dial = dice.number(100);
    if (dial < 35) {
      const amount = 500 + dice.number(40_000);
      const reply = await pay(apiKey, '/payouts', payoutIn(dice.one(['EUR', 'USD']) ?? 'EUR', { amount }));
      if (reply.status === 201) made.push(reply.body.id);
    } else if (dial < 80) await follow(false);
    else if (dial < 84) await pay(apiKey, `/payouts/${dice.one(made)}/cancel`, {});
    else if (dial < 88)
      await ifItCan(control.topUp(account.id, { currency: 'EUR', amount: dice.number(2_000) + 1 }));
    else if (dial < 90)
      await ifItCan(control.convert(account.id, { from: 'EUR', to: 'USD', amount: 20, fee: 0.11 }));
    else if (dial < 91) await ifItCan(control.statement(account.id, { currency: 'EUR', amount: -2.5 }));
    else if (dial < 97)
      await control.webhookFault({
        kind: dice.one(['lost', 'duplicated', 'reordered'] as const) ?? 'lost',
        times: 1 + dice.number(5),
        account: account.id,
      });
    else
      await control.fault({
        kind: dice.one(['cut_after', 'rate_limited', 'error_after'] as const) ?? 'cut_after',
        path: dice.one(['/*/transfers', '/*/payments', '/*/transfers/*']) ?? '/*',
        account: account.id,
      });
  }
  await control.clearFaults();
  await control.releaseEvents();
  // What is under way comes to its end.
  const ended = ['outgoing_payment_sent', 'funds_refunded', 'incoming_payment_waiting'];
  for (;;) {
    const open = (await transfersOf(wise)).filter(
      ({ states, payments }) =>
        !ended.includes(states.at(-1) ?? '') && !(states.at(-1) === 'cancelled' && payments.length === 0),
    );
    if (open.length === 0) break;
    for (const transfer of open) await take(transfer, true);
  }
  expect((await transfersOf(wise)).length).toBeGreaterThan(10);
  await expectEven(sql, wise, () => wiseSums(wise));
});
