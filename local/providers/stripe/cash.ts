/** The cash balance of customers: money transferred beyond their payments, and its transactions. */
import { newId, type StripeServices } from './services.ts';
import type { Account, CashTransaction } from './state.ts';

export const cashOf = (account: Account, customer: string, currency: string): number =>
  account.cashBalances[customer]?.[currency] ?? 0;

/** `amount` is signed; `details` is the member named after the type. */
export function moveCash(
  services: StripeServices,
  account: Account,
  customer: string,
  change: { type: CashTransaction['type']; currency: string; amount: number; details: object },
): void {
  const { type, currency, amount, details } = change;
  const held = cashOf(account, customer, currency) + amount;
  account.cashBalances[customer] = { ...account.cashBalances[customer], [currency]: held };
  const transaction: CashTransaction = {
    id: newId('ccsbtxn'),
    object: 'customer_cash_balance_transaction',
    created: services.now(),
    currency,
    customer,
    customer_account: null,
    ending_balance: held,
    livemode: account.livemode,
    net_amount: amount,
    type,
    [type]: details,
  };
  account.cashTransactions.push(transaction);
  services.emit(account, 'customer_cash_balance_transaction.created', transaction);
}
