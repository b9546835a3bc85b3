/** `/v1/checkout/sessions`. */
import { Hono } from 'hono';
import { refused } from './errors.ts';
import type { Method } from './options.ts';
import { Metadata, mergeMetadata, notEmulated, oneOf, Text } from './params.ts';
import {
  answer,
  CREATED,
  named,
  PAGING,
  page,
  read,
  type StripeApp,
  type StripeContext,
  within,
} from './requests.ts';
import { newId, type StripeServices } from './services.ts';
import { expireSession } from './session-life.ts';
import { checkOrder, lineItemsOf } from './session-orders.ts';
import { SESSION, type SessionOrder } from './session-params.ts';
import type { Account, Session } from './state.ts';

const LIST = {
  ...PAGING,
  ...CREATED,
  customer: Text.optional(),
  payment_intent: Text.optional(),
  status: oneOf(['complete', 'expired', 'open']).optional(),
  ...notEmulated('customer_account customer_details payment_link subscription'),
};

export function sessionRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const session = (c: StripeContext): Session =>
    named(c, c.get('account').sessions, 'checkout.session', 'session');

  app.post('/', (c) => {
    const account = c.get('account');
    const version = c.req.header('stripe-version') ?? account.apiVersion;
    const made = makeSession(services, account, read(c, SESSION), version);
    return answer(c, services, made);
  });

  app.get('/', (c) => {
    const { created, customer, payment_intent: intent, status, ...rest } = read(c, LIST);
    const found = c
      .get('account')
      .sessions.filter(
        (one) =>
          within(created, one.created) &&
          (customer === undefined || one.customer === customer) &&
          (intent === undefined || one.payment_intent === intent) &&
          (status === undefined || one.status === status),
      );
    return page(c, services, found, rest, 'checkout.session');
  });

  app.get('/:id', (c) => {
    read(c, {});
    return answer(c, services, session(c));
  });

  app.post('/:id', (c) => {
    const known = session(c);
    const { metadata } = read(c, {
      metadata: Metadata.optional(),
      ...notEmulated('collected_information line_items payment_intent_data shipping_options'),
    });
    known.metadata = mergeMetadata(known.metadata, metadata);
    return answer(c, services, known);
  });

  app.post('/:id/expire', (c) => {
    const known = session(c);
    read(c, {});
    if (known.status !== 'open') {
      throw refused(
        'Only Checkout Sessions with a status in ["open"] can be expired. ' +
          `This Checkout Session has a status of \`${known.status}\`.`,
      );
    }
    expireSession(services, c.get('account'), known);
    return answer(c, services, known);
  });

  app.get('/:id/line_items', (c) => {
    const known = session(c);
    const { limit, starting_after, ending_before } = read(c, PAGING);
    const items = c.get('account').sessionInternals[known.id]?.lineItems ?? [];
    // Created by `lineItemsOf`, in the order of the session.
    const oldestFirst = [...items].reverse() as { id: string }[];
    return page(c, services, oldestFirst, { limit, starting_after, ending_before }, 'item');
  });
  return app;
}

function makeSession(
  services: StripeServices,
  account: Account,
  order: SessionOrder,
  version: string,
): Session {
  const { currency, methods, total, expiresAt, bankTransfer } = checkOrder(services, account, order, version);
  const id = newId(account.livemode ? 'cs_live' : 'cs_test', 58);
  const data = order.payment_intent_data;
  const made: Session = {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: order.allowed_payment_method_types ?? null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: order.cancel_url ?? null,
    client_reference_id: order.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: services.now(),
    currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: order.customer ?? null,
    customer_account: null,
    customer_creation: order.customer === undefined ? (order.customer_creation ?? 'if_required') : null,
    customer_details: null,
    customer_email: order.customer_email ?? null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: account.livemode,
    locale: order.locale ?? null,
    managed_payments: null,
    metadata: mergeMetadata({}, order.metadata),
    mode: 'payment',
    origin_context: null,
    // Created when the payer submits the page.
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: methodOptions(order, methods),
    payment_method_types: methods,
    payment_status: total === 0 ? 'no_payment_required' : 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: order.submit_type ?? null,
    subscription: null,
    success_url: order.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${services.kit.url}/c/pay/${id}`,
    wallet_options: null,
  };
  account.sessions.push(made);
  account.sessionInternals[id] = {
    lineItems: lineItemsOf(services, account, order),
    intentData: {
      description: data?.description ?? null,
      metadata: mergeMetadata({}, data?.metadata),
      receipt_email: data?.receipt_email ?? null,
      statement_descriptor: data?.statement_descriptor ?? null,
      statement_descriptor_suffix: data?.statement_descriptor_suffix ?? null,
    },
    bankTransfer,
    expiryJob: services.schedule('sessions:expire', expiresAt * 1000, account, { session: id }),
  };
  return made;
}

/** The given options with defaults for the others. */
function methodOptions(order: SessionOrder, methods: Method[]): Record<string, unknown> {
  const given = order.payment_method_options ?? {};
  const shown: Record<string, unknown> = { ...given };
  if (methods.includes('card')) shown.card = { request_three_d_secure: 'automatic', ...given.card };
  return shown;
}
