/** `/v1/payment_intents`, `/v1/charges` and `/v1/payment_methods`. */
import { Hono } from 'hono';
import { refused } from './errors.ts';
import { Clearable, Email, ignored, Metadata, mergeMetadata, notEmulated, oneOf, Text } from './params.ts';
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
import type { StripeServices } from './services.ts';
import { cancelIntent, concludeSession } from './session-life.ts';
import type { Account, PaymentIntent } from './state.ts';

const CANCELABLE = ['requires_payment_method', 'requires_action', 'processing'];

export function intentRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const intent = (c: StripeContext) => named(c, c.get('account').intents, 'payment_intent', 'intent');

  app.get('/', (c) => {
    const shape = { ...PAGING, ...CREATED, customer: Text.optional(), ...notEmulated('customer_account') };
    const { created, customer, ...rest } = read(c, shape);
    const found = c
      .get('account')
      .intents.filter(
        (one) => within(created, one.created) && (customer === undefined || one.customer === customer),
      );
    return page(c, services, found, rest, 'payment_intent');
  });

  app.get('/:id', (c) => {
    read(c, ignored<'client_secret'>('client_secret'));
    return answer(c, services, intent(c));
  });

  app.post('/:id', (c) => {
    const known = intent(c);
    const {
      metadata,
      description,
      receipt_email: email,
    } = read(c, {
      metadata: Metadata.optional(),
      description: Clearable.optional(),
      receipt_email: Email.optional(),
      ...notEmulated(
        'allowed_payment_method_types amount amount_details application_fee_amount capture_method currency customer customer_account excluded_payment_method_types hooks payment_details payment_method payment_method_configuration payment_method_data payment_method_options setup_future_usage shipping statement_descriptor statement_descriptor_suffix transfer_data transfer_group',
      ),
    });
    known.metadata = mergeMetadata(known.metadata, metadata);
    if (description !== undefined) known.description = description;
    if (email !== undefined) known.receipt_email = email;
    return answer(c, services, known);
  });

  app.post('/:id/cancel', (c) => {
    const known = intent(c);
    const { cancellation_reason: reason } = read(c, {
      cancellation_reason: oneOf([
        'duplicate',
        'fraudulent',
        'requested_by_customer',
        'abandoned',
      ]).optional(),
    });
    cancelByRequest(services, c.get('account'), known, reason ?? null);
    return answer(c, services, known);
  });
  return app;
}

function cancelByRequest(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  reason: string | null,
): void {
  const code = 'payment_intent_unexpected_state';
  if (!CANCELABLE.includes(intent.status)) {
    throw refused(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of ` +
        'the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, ' +
        'requires_action, processing.',
      { code },
    );
  }
  const session = account.sessions.find(({ payment_intent: id }) => id === intent.id);
  const waits = session?.status === 'complete' && intent.status === 'requires_action';
  if (session !== undefined && !(waits && account.options.cancelCompletedIntents)) {
    throw refused(
      'You cannot cancel the PaymentIntent for a Checkout Session. Expire the Checkout Session instead.',
      { code },
    );
  }
  cancelIntent(services, account, intent, reason);
  if (session !== undefined) concludeSession(services, account, session, 'unpaid');
}

export function chargeRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const charge = (c: StripeContext) => named(c, c.get('account').charges, 'charge');

  app.get('/', (c) => {
    const {
      created,
      customer,
      payment_intent: intent,
      ...rest
    } = read(c, {
      ...PAGING,
      ...CREATED,
      customer: Text.optional(),
      payment_intent: Text.optional(),
      ...notEmulated('transfer_group'),
    });
    const found = c
      .get('account')
      .charges.filter(
        (one) =>
          within(created, one.created) &&
          (customer === undefined || one.customer === customer) &&
          (intent === undefined || one.payment_intent === intent),
      );
    return page(c, services, found, rest, 'charge');
  });

  app.get('/:id', (c) => {
    read(c, {});
    return answer(c, services, charge(c));
  });

  app.get('/:id/refunds', (c) => {
    const { id } = charge(c);
    const { created, ...rest } = read(c, { ...PAGING, ...CREATED });
    const found = c.get('account').refunds.filter((one) => one.charge === id && within(created, one.created));
    return page(c, services, found, rest, 'refund');
  });

  app.post('/:id', (c) => {
    const known = charge(c);
    const { metadata, description } = read(c, {
      metadata: Metadata.optional(),
      description: Clearable.optional(),
      ...notEmulated('customer fraud_details receipt_email shipping transfer_group'),
    });
    known.metadata = mergeMetadata(known.metadata, metadata);
    if (description !== undefined) known.description = description;
    services.emit(c.get('account'), 'charge.updated', known, {});
    return answer(c, services, known);
  });
  return app;
}

export function paymentMethodRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  app.get('/:id', (c) => {
    read(c, {});
    return answer(c, services, named(c, c.get('account').methods, 'PaymentMethod', 'payment_method'));
  });
  return app;
}
