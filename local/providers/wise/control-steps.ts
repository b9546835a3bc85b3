/** Control routes for transfers. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { refusal } from './errors.ts';
import { emitActiveCases, emitPayoutFailure } from './events.ts';
import { newPayment } from './funding.ts';
import { toMinorUnits } from './money.ts';
import type { WiseServices } from './services.ts';
import type { Account, Transfer } from './state.ts';
import {
  bounce,
  enterState,
  FAILURES,
  NEXT,
  refund,
  rollBack,
  stateOf,
  takePayment,
} from './transfer-life.ts';
import { findTransfer, renderTransfer } from './transfers.ts';

const Step = z.discriminatedUnion('step', [
  z.strictObject({
    step: z.literal('pay-in'),
    method: z.enum(['BALANCE', 'BANK_TRANSFER']).default('BALANCE'),
  }),
  z.strictObject({ step: z.enum(['next', 'rollback', 'cancel', 'chargeback']) }),
  z.strictObject({ step: z.literal('bounce'), reason: z.string().optional() }),
  z.strictObject({ step: z.literal('refund'), amount: z.number().positive().optional() }),
  z.strictObject({ step: z.literal('payout-failure'), reason: z.string() }),
  z.strictObject({ step: z.literal('state'), state: z.string() }),
  z.strictObject({ step: z.literal('review'), underReview: z.boolean() }),
  z.strictObject({ step: z.literal('active-cases'), cases: z.array(z.string()) }),
]);

function take(
  services: WiseServices,
  account: Account,
  transfer: Transfer,
  order: z.output<typeof Step>,
): void {
  switch (order.step) {
    case 'pay-in':
      if (transfer.payments.length > 0)
        throw refusal(422, 'transfer.invalid-state', 'The transfer is already funded.');
      takePayment(services, account, transfer, newPayment(services, account, transfer, order.method));
      break;
    case 'next': {
      const next = NEXT[stateOf(transfer)];
      if (next === undefined) throw refusal(422, 'transfer.invalid-state', 'The transfer has no next state.');
      enterState(services, account, transfer, next);
      break;
    }
    case 'rollback':
      rollBack(services, account, transfer);
      break;
    case 'cancel':
      enterState(services, account, transfer, 'cancelled');
      break;
    case 'chargeback':
      enterState(services, account, transfer, 'charged_back');
      break;
    case 'bounce':
      bounce(services, account, transfer, order.reason ?? account.options.failureReason);
      break;
    case 'refund': {
      const { amount } = order;
      const minor = amount === undefined ? undefined : toMinorUnits(transfer.sourceCurrency, amount);
      refund(services, account, transfer, minor);
      break;
    }
    case 'payout-failure': {
      const words = FAILURES[order.reason] ?? 'Reason not specified';
      emitPayoutFailure(services, account, transfer, order.reason, words);
      break;
    }
    case 'state':
      enterState(services, account, transfer, order.state);
      break;
    case 'review':
      transfer.underReview = order.underReview;
      break;
    case 'active-cases':
      transfer.activeCases = order.cases;
      emitActiveCases(services, account, transfer);
  }
}

export function addTransferControl(
  app: Hono,
  services: WiseServices,
  accountOf: (c: Context) => Account,
): void {
  app.post('/accounts/:account/transfers/:id', async (c) => {
    const account = accountOf(c);
    const transfer = findTransfer(account, Number(c.req.param('id')));
    take(services, account, transfer, Step.parse(await c.req.json()));
    return c.json(renderTransfer(account, transfer));
  });
}
