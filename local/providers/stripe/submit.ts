/** Submits the page of a session as the payer. */
import { missing, refused } from './errors.ts';
import { METHODS } from './options.ts';
import { payByCard } from './pay-by-card.ts';
import { payByDebit } from './pay-by-debit.ts';
import { awaitTransfer } from './pay-by-transfer.ts';
import type { Payer } from './payment-objects.ts';
import type { StripeServices } from './services.ts';
import { completeSession, requireOpen } from './session-life.ts';
import type { Account, Session } from './state.ts';

export interface Submission {
  /** Default: the session's first method. */
  method?: string | undefined;
  /** Number of the card or bank account. Stripe's test numbers determine the outcome. */
  number?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  authentication?: string | undefined;
}

export function sessionOf(account: Account, id: string): Session {
  const found = account.sessions.find((session) => session.id === id);
  if (found === undefined) throw missing('checkout.session', id, 'session');
  return found;
}

export function submit(
  services: StripeServices,
  account: Account,
  session: Session,
  given: Submission,
): void {
  const payer: Payer = {
    name: given.name ?? 'Jenny Rosen',
    email: given.email ?? session.customer_email ?? 'jenny@example.com',
  };
  if (session.amount_total === 0) {
    requireOpen(services, session);
    completeSession(services, account, session, payer, 'no_payment_required');
    return;
  }
  const method = METHODS.find((one) => one === (given.method ?? session.payment_method_types[0]));
  const { authentication } = given;
  switch (method) {
    case 'card':
      payByCard(services, account, session, {
        ...payer,
        number: given.number ?? '4242424242424242',
        authentication: authentication === 'pass' || authentication === 'fail' ? authentication : undefined,
      });
      break;
    case 'us_bank_account':
      payByDebit(services, account, session, method, { ...payer, number: given.number ?? '000123456789' });
      break;
    case 'sepa_debit':
      payByDebit(services, account, session, method, {
        ...payer,
        number: given.number ?? 'AT611904300234573201',
      });
      break;
    case 'customer_balance':
      awaitTransfer(services, account, session, payer);
      break;
    default:
      throw refused(`Unknown payment method: ${given.method}.`, { param: 'method' });
  }
}
