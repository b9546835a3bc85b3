/** The payer submits the page of a session. Stripe's test numbers decide the outcome. */
import { awaitTransfer } from './bank-transfers.ts';
import type { Desk } from './desk.ts';
import { refused } from './errors.ts';
import { completeSession, createCharge, createIntent, failCharge, payByDebit, succeed } from './payments.ts';
import type { Session } from './state.ts';

export interface Submission {
  /** Number of the card or bank account. */
  number?: string;
}

const DECLINED_CARD = '4000000000000002';
/** Submits the page. Throws if the session is not open. */
export function submit(desk: Desk, session: Session, { number }: Submission): void {
  const [method = 'card'] = session.payment_method_types;
  if (session.status !== 'open' || session.expires_at <= desk.now())
    throw refused(`The Checkout Session is ${session.status}.`);
  const intent =
    desk.account.intents.find(({ id }) => id === session.payment_intent) ?? createIntent(desk, session);
  if (method === 'customer_balance') {
    awaitTransfer(desk, session, intent);
    return;
  }
  if (method !== 'card') {
    payByDebit(desk, session, intent, method, number);
    return;
  }
  const isDeclined = number === DECLINED_CARD;
  const charge = createCharge(desk, intent, method, isDeclined ? 'failed' : 'succeeded');
  if (isDeclined) failCharge(desk, intent, charge, 'card_declined', 'Your card was declined.');
  else {
    succeed(desk, intent, charge);
    completeSession(desk, session, 'paid');
  }
}
