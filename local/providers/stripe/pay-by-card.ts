/** Card payments: succeed, fail, or require authentication. */
import { cardOf, type Decline } from './cards.ts';
import { makeCharge, makeMethod, type Payer } from './payment-objects.ts';
import { begin, failCharge, failIntent, planDispute, succeed } from './payments.ts';
import type { StripeServices } from './services.ts';
import { completeSession } from './session-life.ts';
import type { Account, PaymentIntent, Session } from './state.ts';

export interface CardPayment extends Payer {
  number: string;
  /** The cardholder's action if authentication is required. Default: none. */
  authentication?: 'pass' | 'fail' | undefined;
}

export function payByCard(
  services: StripeServices,
  account: Account,
  session: Session,
  payment: CardPayment,
): void {
  const number = payment.number.replaceAll(' ', '');
  const intent = begin(services, account, session, 'card');
  const card = cardOf(number);
  if (card.needsAuthentication && payment.authentication !== 'pass') {
    if (payment.authentication === undefined) askForAuthentication(services, account, intent);
    else failIntent(services, account, intent, NOT_AUTHENTICATED);
    return;
  }
  const method = makeMethod(services, account, payment, {
    method: 'card',
    number,
    card,
    customer: session.customer,
  });
  const status = card.decline === undefined ? 'succeeded' : 'failed';
  const charge = makeCharge(services, account, intent, payment, {
    method: 'card',
    methodId: method.id,
    card,
    number,
    status,
  });
  if (card.decline !== undefined) {
    failCharge(services, account, intent, charge, card.decline);
    return;
  }
  intent.payment_method = method.id;
  succeed(services, account, intent, charge);
  completeSession(services, account, session, payment, 'paid');
  planDispute(services, account, charge, card);
}

const NOT_AUTHENTICATED: Decline = {
  code: 'payment_intent_authentication_failure',
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
};

function askForAuthentication(services: StripeServices, account: Account, intent: PaymentIntent): void {
  intent.status = 'requires_action';
  intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } };
  services.emit(account, 'payment_intent.requires_action', intent);
}
