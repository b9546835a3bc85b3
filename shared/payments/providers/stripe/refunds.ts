// Refunds at Stripe.

import type { ChargeOrder } from '../charge-port.ts';
import { InvalidOrder, isRejection, ProviderRejected } from '../errors.ts';
import type { RefundOrder, RefundPort } from '../refund-port.ts';
import { type CallStripe, idOf } from './client.ts';
import { ParameterRejected } from './errors.ts';
import { fromStripe, toStripe } from './money.ts';
import { listRefunds, REFUND_REFERENCE, refundReport, WITH_MOVEMENTS } from './returns.ts';
import { findPayments, isPaid, type Payment } from './sessions.ts';

export function createRefunds(until: (signal: AbortSignal) => CallStripe): RefundPort {
  /** The paid payments of an invoice. Throws `ProviderRejected` if it has none. */
  async function paidPayments(ask: CallStripe, charge: ChargeOrder) {
    const paid = (await findPayments(ask, charge)).filter(isPaid).flatMap(paidPaymentOf);
    if (paid.length === 0) throw new ProviderRejected('Stripe has no successful payment of this invoice.');
    return paid;
  }

  const send = (ask: CallStripe, payment: PaidPayment, charge: ChargeOrder, refund: RefundOrder) => {
    const { intentId, isFirst } = payment;
    const parameters = {
      payment_intent: intentId,
      amount: toStripe(refund.amountMinor, charge.currency),
      metadata: { [REFUND_REFERENCE]: refund.reference },
      expand: WITH_MOVEMENTS,
    };
    // Stripe accepts a key only with the same parameters.
    const idempotencyKey = isFirst ? refund.reference : `${refund.reference}-${intentId}`;
    if (charge.method !== 'bank_transfer')
      return ask((stripe) => stripe.refunds.create(parameters, { idempotencyKey }));
    // The payer of a bank transfer tells Stripe in reply to this email where to send the money.
    const withEmail = { ...parameters, instructions_email: charge.customer.email };
    return ask((stripe) => stripe.refunds.create(withEmail, { idempotencyKey })).catch((error) => {
      if (!(error instanceof ParameterRejected) || error.parameter !== 'instructions_email') throw error;
      // Stripe did nothing: it knows the payer's bank account or keeps the money in the payer's cash balance.
      const plain = { idempotencyKey: `${idempotencyKey}-plain` };
      return ask((stripe) => stripe.refunds.create(parameters, plain));
    });
  };

  return {
    /** Stripe refunds each payment on its own, so a refund goes to one that has enough left. */
    async create(charge, refund, signal) {
      const ask = until(signal);
      const payments = await paidPayments(ask, charge);
      const amount = toStripe(refund.amountMinor, charge.currency);
      const sufficient = payments.filter(({ left }) => left >= amount);
      let rejection: unknown = insufficient(payments, charge);
      for (const payment of sufficient) {
        signal.throwIfAborted();
        try {
          return refundReport(await send(ask, payment, charge, refund));
        } catch (error) {
          // Another refund may have used the rest of this payment, or it is disputed.
          if (!isRejection(error)) throw error;
          rejection = error;
        }
      }
      throw rejection;
    },
    async find(charge, { reference }, signal) {
      const ask = until(signal);
      for (const { intentId } of await paidPayments(ask, charge)) {
        const refunds = await listRefunds(ask, intentId);
        const found = refunds.find(({ metadata }) => metadata?.[REFUND_REFERENCE] === reference);
        if (found) return refundReport(found);
      }
      return undefined;
    },
  };
}

interface PaidPayment {
  intentId: string;
  /** The refundable amount, in Stripe's units. */
  left: number;
  /** Whether it is the first paid one of its invoice. */
  isFirst: boolean;
}

function paidPaymentOf({ session, intent, charge }: Payment, index: number): PaidPayment | [] {
  const intentId = intent?.id ?? idOf(session.payment_intent);
  if (!intentId) return [];
  const left = charge ? charge.amount - charge.amount_refunded : (session.amount_total ?? 0);
  return { intentId, left, isFirst: index === 0 };
}

function insufficient(payments: readonly PaidPayment[], { currency }: ChargeOrder): InvalidOrder {
  const most = fromStripe(Math.max(...payments.map(({ left }) => left)), currency);
  const message = `must be at most ${most}, which is what the provider can still refund at once`;
  return new InvalidOrder([{ field: 'amount', message }]);
}
