/** Handlers of scheduled jobs, by name. */
import { respond, respondToCancellation, authorize as sendToCity } from './invoice-life.ts';
import { findInvoice } from './invoices.ts';
import { creditWhenDue } from './payment-money.ts';
import { findPayment, makeOverdue } from './payment-orders.ts';
import { concludeRefund } from './payment-returns.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Invoice, Payment, Transfer } from './state.ts';
import { conclude, send } from './transfer-life.ts';
import { findTransfer } from './transfers.ts';
import { validateRefund, validateWithdrawal } from './withdrawal-validation.ts';

type Run<T> = (
  services: AsaasServices,
  account: Account,
  item: T,
  data: Record<string, string>,
) => void | Promise<void>;

export function registerJobs(services: AsaasServices): void {
  const { scheduler } = services.kit;
  function on<T>(name: string, member: string, find: (account: Account, id: string) => T, run: Run<T>): void {
    scheduler.on(name, (data) => {
      const account = services.accountOf(data.account ?? '');
      return run(services, account, find(account, data[member] ?? ''), data);
    });
  }
  const onPayment = (name: string, run: Run<Payment>) => on(name, 'payment', findPayment, run);
  const onTransfer = (name: string, run: Run<Transfer>) => on(name, 'transfer', findTransfer, run);
  const onInvoice = (name: string, run: Run<Invoice>) => on(name, 'invoice', findInvoice, run);

  onPayment('payments:overdue', (_, account, payment) => {
    payment.overdueJob = null;
    makeOverdue(services, account, payment);
  });
  onPayment('payments:credit', creditWhenDue);
  onPayment('payments:refund', (_, account, payment, { refund = '' }) =>
    concludeRefund(services, account, payment, refund, 'DONE'),
  );
  onPayment('refunds:validate', (_, account, payment, { refund = '' }) =>
    validateRefund(services, account, payment, refund),
  );
  onTransfer('transfers:validate', validateWithdrawal);
  onTransfer('transfers:send', send);
  onTransfer('transfers:conclude', conclude);
  onInvoice('invoices:issue', (_, account, invoice) => {
    if (invoice.status === 'SCHEDULED') sendToCity(services, account, invoice);
  });
  onInvoice('invoices:answer', respond);
  onInvoice('invoices:cancellation', respondToCancellation);
}
