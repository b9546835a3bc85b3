/** `/payments` of a transfer: funds it from a balance. */
import { z } from 'zod';
import { problem, refusal, systemError } from './errors.ts';
import { priceOf, rateOf } from './pricing.ts';
import { findQuote } from './quotes.ts';
import { numberIn, profileIn, readBody, type WiseContext, type WiseRoutes } from './requests.ts';
import { requireSca } from './sca.ts';
import { amountOf, balanceIn, type WiseServices } from './services.ts';
import type { Account, PayIn, Payment, Quote, Transfer } from './state.ts';
import { stateOf, takePayment } from './transfer-life.ts';

const Order = z.object({ type: z.string() });

/** A quote guarantees its rate for a limited time. After that, the current rate applies. */
function applyRate(services: WiseServices, { options }: Account, transfer: Transfer, quote: Quote): void {
  if (services.now() < quote.createdAtMs + options.rateHeldMs) return;
  quote.rate = rateOf(options, quote.sourceCurrency, quote.targetCurrency) ?? quote.rate;
  const { converted, targetAmount } = priceOf(quote, options, quote.preferredPayIn, transfer.payOut);
  transfer.rate = quote.rate;
  transfer.converted = converted;
  transfer.targetValue = targetAmount;
}

/** The cost of funding by a pay-in method, with its fee. */
export function newPayment(
  services: WiseServices,
  account: Account,
  transfer: Transfer,
  method: PayIn,
): Payment {
  const quote = findQuote(services, account, transfer.quoteUuid);
  applyRate(services, account, transfer, quote);
  const { fee } = priceOf(quote, account.options, method, transfer.payOut);
  // The recipient's amount is fixed: the pay-in method changes only the fee, not the converted amount.
  return {
    id: services.newId('payment'),
    method,
    amount: transfer.converted + fee,
    fee,
    atMs: services.now(),
  };
}

function transferToFund(c: WiseContext, services: WiseServices, refuse: typeof refusal): Transfer {
  const account = c.get('account');
  const id = numberIn(c, 'transfer');
  const isKnown = Object.values(services.kit.state.accounts).some(({ transfers }) =>
    transfers.some((transfer) => transfer.id === id),
  );
  if (!isKnown) throw refuse(404, 'transfer.not-found', 'Transfer not found');
  const transfer = account.transfers.find((candidate) => candidate.id === id);
  if (transfer === undefined || transfer.profile !== profileIn(c).id) {
    throw refuse(403, 'transfer.not-accessible-for-user', 'Transfer is not accessible for user');
  }
  return transfer;
}

export function addFundingRoute(routes: WiseRoutes, services: WiseServices): void {
  routes.on('POST', ['v3'], '/profiles/:profile/transfers/:transfer/payments', async (c) => {
    const account = c.get('account');
    const { options } = account;
    const profile = profileIn(c);
    const refuse: typeof refusal = (status, code, message) =>
      options.fundingErrors === 'problem' ? problem(status, code, message) : refusal(status, code, message);
    if (options.funding === 'forbidden') {
      throw systemError(403, 'You are forbidden to send this request', c.req.path);
    }
    const { type } = await readBody(c, Order);
    const transfer = transferToFund(c, services, refuse);
    if (type !== 'BALANCE') {
      const prefix = type.toLowerCase().replace(/[^a-z]/g, '');
      throw refuse(422, `${prefix}.payment-option-unavailable`, 'Payment option is not available');
    }
    if (stateOf(transfer) !== 'incoming_payment_waiting' || transfer.payments.length > 0) {
      throw refuse(422, 'transfer.invalid-state', `Transfer is in state ${stateOf(transfer)}`);
    }
    requireSca(c, services, 'high');
    const payment = newPayment(services, account, transfer, 'BALANCE');
    const balance = balanceIn(profile, transfer.sourceCurrency);
    if (balance === undefined || amountOf(balance) < payment.amount) {
      const errorCode =
        balance === undefined ? 'balance.payment-option-unavailable' : options.insufficientFunds;
      transfer.rejectedPayments.push(payment);
      return c.json({ type, status: 'REJECTED', errorCode, errorMessage: null }, options.rejectedStatus);
    }
    takePayment(services, account, transfer, payment);
    return c.json(
      {
        type,
        status: 'COMPLETED',
        errorCode: null,
        errorMessage: null,
        balanceTransactionId: payment.id,
      },
      201,
    );
  });
}
