// Refunds at Stripe.
import { ProviderRejected } from '../errors.ts';
import type { ChargeOrder, RefundOrder } from '../orders.ts';
import type { RefundPort } from '../provider.ts';
import { type CallStripe, idOf } from './client.ts';
import { ParameterRejected } from './errors.ts';
import { toStripe } from './money.ts';
import { isPaid } from './payment.ts';
import { listRefunds, REFUND_REFERENCE, refundReport, WITH_MOVEMENTS } from './returns.ts';
import { findPayments } from './sessions.ts';

export function createRefunds(ask: CallStripe): RefundPort {
  const intentOf = async (charge: ChargeOrder, signal: AbortSignal): Promise<string> => {
    const payment = (await findPayments(ask, signal, charge)).find(isPaid);
    const intentId = payment && (payment.intent?.id ?? idOf(payment.session.payment_intent));
    if (!intentId) throw new ProviderRejected('Stripe has no successful payment of this invoice.');
    return intentId;
  };

  const send = (intentId: string, charge: ChargeOrder, refund: RefundOrder, signal: AbortSignal) => {
    const parameters = {
      payment_intent: intentId,
      amount: toStripe(refund.amountMinor, charge.currency),
      metadata: { [REFUND_REFERENCE]: refund.reference },
      expand: WITH_MOVEMENTS,
    };
    const idempotencyKey = refund.reference;
    if (charge.method !== 'bank_transfer')
      return ask(signal, (stripe) => stripe.refunds.create(parameters, { idempotencyKey }));
    // The payer of a bank transfer tells Stripe in reply to this email where to send the money.
    const withEmail = { ...parameters, instructions_email: charge.customer.email };
    return ask(signal, (stripe) => stripe.refunds.create(withEmail, { idempotencyKey })).catch((error) => {
      if (!(error instanceof ParameterRejected) || error.parameter !== 'instructions_email') throw error;
      // Stripe did nothing: it knows the payer's bank account or keeps the money in the payer's cash balance.
      const plain = { idempotencyKey: `${idempotencyKey}-plain` };
      return ask(signal, (stripe) => stripe.refunds.create(parameters, plain));
    });
  };

  return {
    async create(charge, refund, signal) {
      const intentId = await intentOf(charge, signal);
      signal.throwIfAborted();
      return refundReport(await send(intentId, charge, refund, signal));
    },
    async find(charge, { reference }, signal) {
      const refunds = await listRefunds(ask, signal, await intentOf(charge, signal));
      const found = refunds.find(({ metadata }) => metadata?.[REFUND_REFERENCE] === reference);
      return found && refundReport(found);
    },
  };
}
