// Charges: a page of Stripe's (a Checkout session) on which the payer pays.
import type { Stripe } from 'stripe';
import { type AcceptedCharge, type ChargeOrder, type OrderReport, ProviderRejected } from '../provider.ts';
import { checkoutParameters, methodOf, REFERENCE } from './checkout-parameters.ts';
import type { CallStripe } from './client.ts';
import { DifferentOrder } from './errors.ts';
import { toStripe } from './money.ts';
import { isPaid, type Payment, paymentOf } from './payment.ts';
import { reportOf, stateOf } from './report.ts';
import { findPayment } from './sessions.ts';

export interface Charges {
  create(order: ChargeOrder, signal: AbortSignal): Promise<AcceptedCharge>;
  find(order: ChargeOrder, signal: AbortSignal): Promise<AcceptedCharge | undefined>;
  read(order: ChargeOrder, signal: AbortSignal): Promise<OrderReport | undefined>;
  cancel(order: ChargeOrder, signal: AbortSignal): Promise<boolean>;
}

/** Where payers land who were given no `return_url`, of a merchant who told Stripe of no site of his own. */
const NOWHERE_ELSE = 'https://stripe.com';

export function createCharges(ask: CallStripe): Charges {
  /** The merchant's own site, as Stripe knows it; asked for once. */
  let site: Promise<string> | undefined;
  const siteOf = (signal: AbortSignal) => {
    site ??= ask(signal, (stripe) => stripe.accounts.retrieveCurrent()).then(
      ({ business_profile: profile }) => (isWebAddress(profile?.url) ? profile.url : NOWHERE_ELSE),
      (error) => {
        site = undefined;
        throw error;
      },
    );
    return site;
  };

  const accepted = async (payment: Payment, order: ChargeOrder, signal: AbortSignal) => ({
    ...(await reportOf(ask, signal, payment, order)),
    artifact: artifactOf(payment.session),
  });

  return {
    async create(order, signal) {
      const { type } = methodOf(order);
      const successUrl = order.returnUrl ?? (await siteOf(signal));
      const customer = type === 'customer_balance' ? await createCustomer(ask, signal, order) : undefined;
      const parameters = checkoutParameters(order, { customer, successUrl });
      let session: Stripe.Checkout.Session;
      try {
        session = await ask(signal, (stripe) =>
          stripe.checkout.sessions.create(parameters, { idempotencyKey: order.reference }),
        );
      } catch (error) {
        // Something that the order does not say reads otherwise than before, such as the merchant's site.
        const before = error instanceof DifferentOrder && (await findPayment(ask, signal, order));
        if (before) return await accepted(before, order, signal);
        throw error;
      }
      await check(ask, signal, session, order);
      const payment = paymentOf(session);
      const state = stateOf(payment, order, new Date());
      return { providerReference: session.id, state, artifact: artifactOf(session) };
    },

    async find(order, signal) {
      const payment = await findPayment(ask, signal, order);
      return payment && (await accepted(payment, order, signal));
    },

    async read(order, signal) {
      const payment = await findPayment(ask, signal, order);
      return payment && (await reportOf(ask, signal, payment, order));
    },

    async cancel(order, signal) {
      const payment = await findPayment(ask, signal, order);
      if (!payment) return true;
      const known = outcomeOf(payment);
      if (known !== undefined) return known;
      try {
        await ask(signal, (stripe) => stop(stripe, payment));
        return true;
      } catch (error) {
        if (!(error instanceof ProviderRejected)) throw error;
        // The payer was quicker, or so was somebody in the panel.
        const since = await findPayment(ask, signal, order);
        const outcome = since && outcomeOf(since);
        if (outcome !== undefined) return outcome;
        throw error;
      }
    },
  };
}

/** Whether nobody can pay it any more, where that is settled; false when it is paid or money is on its way. */
function outcomeOf(payment: Payment): boolean | undefined {
  const { session, intent } = payment;
  if (isPaid(payment) || intent?.status === 'processing') return false;
  if (session.status === 'expired' || intent?.status === 'canceled') return true;
  // The page is done with, and the debit failed.
  if (session.status === 'complete' && intent?.status === 'requires_payment_method') return true;
  return undefined;
}

/** A page that is done with can't be expired; what waits for a transfer is called off at its PaymentIntent, if Stripe lets us. */
async function stop(stripe: Stripe, { session, intent }: Payment): Promise<void> {
  if (session.status === 'open') await stripe.checkout.sessions.expire(session.id);
  else if (intent) await stripe.paymentIntents.cancel(intent.id);
  else throw new ProviderRejected('Stripe does not say which payment the finished page led to.');
}

/** Bank transfers need one. Of this order alone, so that whatever money it has is of this order. */
async function createCustomer(ask: CallStripe, signal: AbortSignal, order: ChargeOrder): Promise<string> {
  const { reference, customer } = order;
  const { id } = await ask(signal, (stripe) =>
    stripe.customers.create(
      { name: customer.name, email: customer.email, metadata: { [REFERENCE]: reference } },
      { idempotencyKey: `${reference}-customer` },
    ),
  );
  return id;
}

/** A page that does not do what was ordered is closed again. */
async function check(
  ask: CallStripe,
  signal: AbortSignal,
  session: Stripe.Checkout.Session,
  order: ChargeOrder,
): Promise<void> {
  const fault = faultOf(session, order);
  if (!fault) return;
  await ask(signal, (stripe) => stripe.checkout.sessions.expire(session.id));
  throw new ProviderRejected(fault);
}

function faultOf(session: Stripe.Checkout.Session, order: ChargeOrder): string | undefined {
  const { amountMinor, currency, method } = order;
  if (!session.payment_method_types.includes(methodOf(order).type))
    return `${method} is off at Stripe, or not for this amount: turn it on in Stripe's settings of payment methods.`;
  if (session.amount_total !== toStripe(amountMinor, currency) || session.currency !== currency.toLowerCase())
    return 'Stripe made a payment page of another amount.';
  return isWebAddress(session.url) ? undefined : 'Stripe made a payment page without an address.';
}

function artifactOf({ url }: Stripe.Checkout.Session): AcceptedCharge['artifact'] {
  return url ? { checkout: { url } } : {};
}

function isWebAddress(url: string | null | undefined): url is string {
  return Boolean(url && /^https?:\/\//i.test(url) && URL.canParse(url));
}
