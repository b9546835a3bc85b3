/** `/simulation`: test helpers that Wise offers only in its sandbox. */
import { z } from 'zod';
import { forbidden, invalid, refusal } from './errors.ts';
import { emitPayoutFailure } from './events.ts';
import { toMajor, toMinorUnits } from './money.ts';
import { numberIn, readBody, type WiseContext, type WiseRoutes } from './requests.ts';
import { addMoney, amountOf, profileOf, type WiseServices } from './services.ts';
import type { Transfer } from './state.ts';
import { enterState, FAILURES, refund, stateOf } from './transfer-life.ts';
import { findTransfer, renderTransfer } from './transfers.ts';

/** Valid previous states. `processing` is accepted even if funding has already reached it. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  processing: ['incoming_payment_waiting', 'incoming_payment_initiated', 'processing'],
  funds_converted: ['processing'],
  outgoing_payment_sent: ['funds_converted'],
  bounced_back: ['outgoing_payment_sent'],
  funds_refunded: ['bounced_back'],
};

const Topup = z.object({
  profileId: z.int(),
  balanceId: z.int(),
  currency: z.string(),
  amount: z.number().positive(),
});
const Failure = z.object({ failure_reason_code: z.string().optional() });

const notNow = (transfer: Transfer, state: string) =>
  invalid(422, [
    {
      code: 'transfer.invalid-state',
      message: `A transfer in state ${stateOf(transfer)} cannot change to ${state}`,
    },
  ]);

export function addSimulationRoutes(routes: WiseRoutes, services: WiseServices): void {
  const one = (c: WiseContext): Transfer => findTransfer(c.get('account'), numberIn(c, 'transfer'));

  function simulate(c: WiseContext): Response {
    const account = c.get('account');
    const transfer = one(c);
    const state = c.req.param('state') ?? '';
    if (!BEFORE[state]?.includes(stateOf(transfer)) || transfer.payments.length === 0)
      throw notNow(transfer, state);
    const shown = { ...renderTransfer(account, transfer), status: state };
    const { simulationMs } = account.options;
    if (simulationMs > 0) {
      services.kit.scheduler.schedule('transfers:step', services.now() + simulationMs, {
        account: account.id,
        transfer: String(transfer.id),
        from: stateOf(transfer),
        number: String(transfer.states.length),
        to: state,
      });
    } else if (state === 'funds_refunded') refund(services, account, transfer);
    else if (state !== stateOf(transfer)) enterState(services, account, transfer, state);
    return c.json(shown);
  }

  for (const method of ['GET', 'POST']) {
    routes.on(method, ['v1'], '/simulation/transfers/:transfer/:state', async (c) => {
      if (c.req.param('state') !== 'payout-failure') return simulate(c);
      const transfer = one(c);
      if (stateOf(transfer) !== 'bounced_back') throw notNow(transfer, 'payout-failure');
      const { failure_reason_code: code = 'ACCOUNT_CLOSED' } = await readBody(c, Failure);
      emitPayoutFailure(services, c.get('account'), transfer, code, FAILURES[code] ?? 'Reason not specified');
      return c.json({ failure_reason_code: code });
    });
  }

  routes.on('POST', ['v1'], '/simulation/balance/topup', async (c) => {
    const account = c.get('account');
    const { profileId, balanceId, currency, amount } = await readBody(c, Topup);
    if (!account.profiles.some(({ id }) => id === profileId)) throw forbidden();
    const profile = profileOf(account, profileId);
    const known = profile.balances.find(({ id }) => id === balanceId);
    const minor = toMinorUnits(currency, amount);
    if (known === undefined || known.currency !== currency || minor === undefined) {
      throw refusal(422, 'NOT_VALID', 'The balance does not exist', 'balanceId');
    }
    const { balance, entry } = addMoney(services, account, profile, currency, minor);
    return c.json({
      transactionId: entry.number,
      state: 'COMPLETED',
      balancesAfter: [{ id: balance.id, value: toMajor(currency, amountOf(balance)), currency }],
    });
  });
}
