/** Handlers of scheduled jobs, by name. */
import { renderBalance } from './balance.ts';
import { loseWhenDue, openDispute } from './disputes.ts';
import { concludeByNumber } from './pay-by-debit.ts';
import { chargeOf, enterCharge, intentOf } from './payments.ts';
import { arrive, payOutDaily } from './payouts.ts';
import { concludeRefund } from './refunds.ts';
import type { StripeServices } from './services.ts';
import { expireSession } from './session-life.ts';
import type { Account } from './state.ts';
import { sessionOf } from './submit.ts';

type Run = (account: Account, data: Record<string, string>) => void;

export function registerJobs(services: StripeServices): void {
  const on = (name: string, run: Run): void =>
    services.kit.scheduler.on(name, (data) => run(services.accountOf(data.account ?? ''), data));

  on('sessions:expire', (account, { session = '' }) => {
    const known = sessionOf(account, session);
    if (known.status === 'open') expireSession(services, account, known);
  });
  on('payments:conclude', (account, { intent = '', number = '' }) =>
    concludeByNumber(services, account, intentOf(account, intent), number),
  );
  on('charges:enter', (account, { charge = '' }) => {
    const known = chargeOf(account, charge);
    if (known.balance_transaction !== null) return;
    enterCharge(services, account, known);
    services.emit(account, 'charge.updated', known, { balance_transaction: null });
  });
  on('refunds:conclude', (account, { refund, outcome }) => {
    const known = account.refunds.find(({ id }) => id === refund);
    if (known === undefined) return;
    concludeRefund(services, account, known, outcome === 'failed' ? 'failed' : 'succeeded');
  });
  on('disputes:open', (account, { charge = '', reason = '', inquiry }) => {
    const known = chargeOf(account, charge);
    if (!known.disputed) openDispute(services, account, known, { reason, inquiry: inquiry === 'true' });
  });
  on('disputes:due', (account, { dispute }) => {
    const known = account.disputes.find(({ id }) => id === dispute);
    if (known !== undefined) loseWhenDue(services, account, known);
  });
  on('payouts:daily', (account) => payOutDaily(services, account));
  on('payouts:arrive', (account, { payout }) => {
    const known = account.payouts.find(({ id }) => id === payout);
    if (known !== undefined) arrive(services, account, known);
  });
  on('balance:available', (account) => {
    services.emit(account, 'balance.available', renderBalance(account, services.now()));
  });
}
