// Charges as Stripe Checkout sessions.
import type { Stripe } from 'stripe';
import type {
  AcceptedCharge,
  ChargeOrder,
  ChargePort,
  NewPage,
  PagePort,
  PageState,
} from '../charge-port.ts';
import { ProviderRejected } from '../errors.ts';
import {
  checkoutParameters,
  methodOf,
  REFERENCE,
  renewedEndOf,
  sessionEndOf,
} from './checkout-parameters.ts';
import { type CallStripe, idOf } from './client.ts';
import { DifferentOrder } from './errors.ts';
import { toStripe } from './money.ts';
import { combinedReport, decisivePayment, reportOf, stateOf } from './report.ts';
import { findPayment, findPayments, isPaid, type Payment, paymentOf, readSession } from './sessions.ts';

/** Redirect target if the order has no `return_url` and the Stripe account has no website. */
const FALLBACK_URL = 'https://stripe.com';

export function createCharges(until: (signal: AbortSignal) => CallStripe): ChargePort & { pages: PagePort } {
  /** The website of the Stripe account, fetched once. */
  let website: Promise<string> | undefined;
  const websiteOf = (ask: CallStripe) => {
    website ??= ask((stripe) => stripe.accounts.retrieveCurrent()).then(
      ({ business_profile: profile }) => (isWebAddress(profile?.url) ? profile.url : FALLBACK_URL),
      (error) => {
        website = undefined;
        throw error;
      },
    );
    return website;
  };

  const accepted = async (ask: CallStripe, payment: Payment, order: ChargeOrder) => ({
    ...(await reportOf(ask, payment, order)),
    artifact: artifactOf(payment.session),
  });

  async function renew(order: ChargeOrder, { n, madeAt }: NewPage, signal: AbortSignal) {
    const ask = until(signal);
    const first = await findPayment(ask, order);
    const parameters = checkoutParameters(order, {
      // The money of a transfer belongs to the order's customer.
      customer: idOf(first?.session.customer),
      successUrl: order.returnUrl ?? (await websiteOf(ask)),
      endsAt: renewedEndOf(order, madeAt),
    });
    const session = await ask((stripe) =>
      stripe.checkout.sessions.create(parameters, { idempotencyKey: `${order.reference}-${n}` }),
    );
    await expireIfWrong(ask, session, order);
    // `expireIfWrong` has checked the URL.
    return { reference: session.id, url: session.url ?? '' };
  }

  return {
    async create(order, signal) {
      const ask = until(signal);
      const { type } = methodOf(order);
      const successUrl = order.returnUrl ?? (await websiteOf(ask));
      const customer = type === 'customer_balance' ? await createCustomer(ask, order) : undefined;
      const parameters = checkoutParameters(order, { customer, successUrl, endsAt: sessionEndOf(order) });
      let session: Stripe.Checkout.Session;
      try {
        session = await ask((stripe) =>
          stripe.checkout.sessions.create(parameters, { idempotencyKey: order.reference }),
        );
      } catch (error) {
        // A parameter that is not part of the order has changed, such as the website of the account.
        const existing = error instanceof DifferentOrder && (await findPayment(ask, order));
        if (existing) return await accepted(ask, existing, order);
        throw error;
      }
      await expireIfWrong(ask, session, order);
      const payment = paymentOf(session);
      const state = stateOf(payment, order, new Date());
      return { providerReference: session.id, state, artifact: artifactOf(session) };
    },

    async find(order, signal) {
      const ask = until(signal);
      const payment = await findPayment(ask, order);
      return payment && (await accepted(ask, payment, order));
    },

    async read(order, signal) {
      const ask = until(signal);
      return await combinedReport(ask, await findPayments(ask, order), order);
    },

    async cancel(order, signal) {
      const ask = until(signal);
      const payments = await findPayments(ask, order);
      // Earlier pages have expired, unless money for them is in transit.
      for (const payment of payments) if (!(await stop(ask, payment))) return false;
      return true;
    },

    pages: {
      async read(order, signal) {
        return pageStateOf(decisivePayment(await findPayments(until(signal), order)));
      },
      renew,
    },
  };
}

/** Makes a payment unpayable. Returns false if it is paid or money is in transit. */
async function stop(ask: CallStripe, payment: Payment): Promise<boolean> {
  const settled = cancelResultOf(payment);
  if (settled !== undefined) return settled;
  try {
    await ask((stripe) => stopPayment(stripe, payment));
    return true;
  } catch (error) {
    if (!(error instanceof ProviderRejected)) throw error;
    // In the meantime, the payer paid or someone canceled the payment in the dashboard.
    const session = await readSession(ask, payment.session.id);
    const result = session && cancelResultOf(paymentOf(session));
    if (result !== undefined) return result;
    throw error;
  }
}

/** A failed debit ends the order, so its page counts as in transit until the order is looked up. */
function pageStateOf(payment: Payment | undefined): PageState {
  if (!payment) return { status: 'expired' };
  const { session } = payment;
  if (isPaid(payment)) return { status: 'paid' };
  if (session.status === 'open' && isWebAddress(session.url)) return { status: 'open', url: session.url };
  return { status: session.status === 'expired' ? 'expired' : 'in_transit' };
}

/** True if the payment can no longer be paid, false if it is paid or money is in transit, undefined if it is open. */
function cancelResultOf(payment: Payment): boolean | undefined {
  const { session, intent } = payment;
  if (isPaid(payment) || intent?.status === 'processing') return false;
  if (session.status === 'expired' || intent?.status === 'canceled') return true;
  // The session is complete, but the debit failed.
  if (session.status === 'complete' && intent?.status === 'requires_payment_method') return true;
  return undefined;
}

/** Expires an open session. A complete session that waits for a bank transfer is canceled through its PaymentIntent. */
async function stopPayment(stripe: Stripe, { session, intent }: Payment): Promise<void> {
  if (session.status === 'open') await stripe.checkout.sessions.expire(session.id);
  else if (intent) await stripe.paymentIntents.cancel(intent.id);
  else throw new ProviderRejected('Stripe returned no PaymentIntent for the completed session.');
}

/** Bank transfers require a customer. Each order gets its own, so that all money in its cash balance belongs to the order. */
async function createCustomer(ask: CallStripe, order: ChargeOrder): Promise<string> {
  const { reference, customer } = order;
  const { id } = await ask((stripe) =>
    stripe.customers.create(
      { name: customer.name, email: customer.email, metadata: { [REFERENCE]: reference } },
      { idempotencyKey: `${reference}-customer` },
    ),
  );
  return id;
}

/** Expires a session that does not match the order and throws `ProviderRejected`. */
async function expireIfWrong(
  ask: CallStripe,
  session: Stripe.Checkout.Session,
  order: ChargeOrder,
): Promise<void> {
  const fault = faultOf(session, order);
  if (!fault) return;
  await ask((stripe) => stripe.checkout.sessions.expire(session.id));
  throw new ProviderRejected(fault);
}

function faultOf(session: Stripe.Checkout.Session, order: ChargeOrder): string | undefined {
  const { amountMinor, currency, method } = order;
  if (!session.payment_method_types.includes(methodOf(order).type))
    return `${method} is disabled in Stripe or does not support this amount. Enable it in the payment method settings in Stripe.`;
  if (session.amount_total !== toStripe(amountMinor, currency) || session.currency !== currency.toLowerCase())
    return 'Stripe created a payment page with a different amount.';
  return isWebAddress(session.url) ? undefined : 'Stripe created a payment page without a URL.';
}

function artifactOf({ url }: Stripe.Checkout.Session): AcceptedCharge['artifact'] {
  return url ? { checkout: { url } } : {};
}

function isWebAddress(url: string | null | undefined): url is string {
  return Boolean(url && /^https?:\/\//i.test(url) && URL.canParse(url));
}
