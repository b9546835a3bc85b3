/** Creates payment intents, payment methods and charges. */
import type { Card } from './cards.ts';
import type { Method } from './options.ts';
import { newId, type StripeServices } from './services.ts';
import type { Account, Charge, PaymentIntent, Session, Wire } from './state.ts';

export interface Payer {
  name: string | null;
  email: string | null;
}

export function makeIntent(services: StripeServices, account: Account, session: Session): PaymentIntent {
  const data = account.sessionInternals[session.id]?.intentData;
  const id = newId('pi');
  const intent: PaymentIntent = {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: session.amount_total,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: newId(`${id}_secret`, 25),
    confirmation_method: 'automatic',
    created: services.now(),
    currency: session.currency,
    customer: session.customer,
    customer_account: null,
    description: data?.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: account.livemode,
    managed_payments: null,
    metadata: { ...data?.metadata },
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: intentOptions(session),
    payment_method_types: session.payment_method_types,
    payment_record: null,
    processing: null,
    receipt_email: data?.receipt_email ?? null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: data?.statement_descriptor ?? null,
    statement_descriptor_suffix: data?.statement_descriptor_suffix ?? null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
  account.intents.push(intent);
  session.payment_intent = id;
  services.emit(account, 'payment_intent.created', intent);
  return intent;
}

/** The options of the session, with additional members for cards. */
function intentOptions({ payment_method_options: options, payment_method_types: types }: Session): object {
  const shown = { ...(options as { card?: object }) };
  if (types.includes('card'))
    shown.card = { installments: null, mandate_options: null, network: null, ...shown.card };
  return shown;
}

const NOWHERE = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };

/** Public details of a payment method, shown on the method and its charge. */
function detailsOf(method: Method, card: Card | undefined, number: string): Record<string, unknown> {
  const last4 = number.slice(-4);
  switch (method) {
    case 'card':
      return {
        brand: card?.brand ?? 'visa',
        checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
        country: card?.country ?? 'US',
        exp_month: 12,
        exp_year: 2034,
        fingerprint: newId('x', 16).slice(2),
        funding: card?.funding ?? 'credit',
        last4,
        regulated_status: 'unregulated',
        wallet: null,
      };
    case 'us_bank_account':
      return {
        account_holder_type: 'individual',
        account_type: 'checking',
        bank_name: 'STRIPE TEST BANK',
        fingerprint: newId('x', 16).slice(2),
        last4,
        routing_number: '110000000',
      };
    case 'sepa_debit':
      return {
        bank_code: '19043',
        branch_code: '',
        country: 'AT',
        fingerprint: newId('x', 16).slice(2),
        last4,
      };
    case 'customer_balance':
      return {};
  }
}

export function makeMethod(
  services: StripeServices,
  account: Account,
  payer: Payer,
  way: { method: Method; number: string; card?: Card | undefined; customer: string | null },
): Wire {
  const details = detailsOf(way.method, way.card, way.number);
  const more: Record<Method, Record<string, unknown>> = {
    card: {
      display_brand: details.brand,
      generated_from: null,
      networks: { available: [details.brand], preferred: null },
      three_d_secure_usage: { supported: true },
    },
    us_bank_account: {
      financial_connections_account: null,
      networks: { preferred: 'ach', supported: ['ach'] },
      status_details: {},
    },
    sepa_debit: { generated_from: null },
    customer_balance: {},
  };
  const made: Wire = {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: { address: NOWHERE, email: payer.email, name: payer.name, phone: null, tax_id: null },
    created: services.now(),
    customer: way.customer,
    customer_account: null,
    livemode: account.livemode,
    metadata: {},
    type: way.method,
    [way.method]: { ...details, ...more[way.method] },
  };
  account.methods.push(made);
  return made;
}

export function makeCharge(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  payer: Payer,
  way: {
    method: Method;
    methodId: string;
    card?: Card | undefined;
    number: string;
    status: Charge['status'];
  },
): Charge {
  const { method, status } = way;
  const details = detailsOf(method, way.card, way.number);
  const more: Record<Method, Record<string, unknown>> = {
    card: {
      amount_authorized: status === 'failed' ? null : intent.amount,
      authorization_code: null,
      electronic_commerce_indicator: null,
      installments: null,
      mandate: null,
      network: details.brand,
      network_transaction_id: null,
      three_d_secure: null,
      transaction_link_id: null,
    },
    us_bank_account: { mandate: newId('mandate'), payment_reference: null },
    sepa_debit: { mandate: newId('mandate') },
    customer_balance: {},
  };
  const charge: Charge = {
    // Methods other than cards create payments, whose ids have another prefix.
    id: newId(method === 'card' ? 'ch' : 'py'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: status === 'failed' ? 0 : intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: NOWHERE, email: payer.email, name: payer.name, phone: null, tax_id: null },
    calculated_statement_descriptor: account.name.toUpperCase().slice(0, 22),
    captured: status !== 'failed',
    created: services.now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: account.livemode,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: status === 'failed' ? 'declined_by_network' : 'approved_by_network',
      reason: null,
      risk_level: method === 'card' ? 'normal' : 'not_assessed',
      seller_message:
        status === 'failed' ? 'The bank did not return any further details.' : 'Payment complete.',
      type: status === 'failed' ? 'issuer_declined' : 'authorized',
    },
    paid: status === 'succeeded',
    payment_intent: intent.id,
    payment_method: way.methodId,
    payment_method_details: { [method]: { ...details, ...more[method] }, type: method },
    radar_options: {},
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: status === 'failed' ? null : `${services.kit.url}/receipts/${intent.id}`,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status,
    transfer_data: null,
    transfer_group: null,
  };
  account.charges.push(charge);
  account.chargeInternals[charge.id] = {
    method,
    beganAtMs: services.nowMs(),
    availableAtOnce: way.card?.availableAtOnce ?? false,
  };
  intent.latest_charge = charge.id;
  return charge;
}
