/** Events that endpoints can subscribe to: those that the emulator sends, and related ones. */
const named = (prefix: string, names: string): string[] =>
  names.split(' ').map((name) => `${prefix}.${name}`);

export const EVENTS: readonly string[] = [
  'balance.available',
  'cash_balance.funds_available',
  ...named('charge', 'captured expired failed pending refunded succeeded updated'),
  ...named('charge.dispute', 'closed created funds_reinstated funds_withdrawn updated'),
  'charge.refund.updated',
  ...named('checkout.session', 'async_payment_failed async_payment_succeeded completed expired'),
  ...named('customer', 'created deleted updated'),
  'customer_cash_balance_transaction.created',
  ...named(
    'payment_intent',
    'amount_capturable_updated canceled created partially_funded payment_failed processing requires_action succeeded',
  ),
  ...named('payout', 'canceled created failed paid reconciliation_completed updated'),
  ...named('refund', 'created failed updated'),
  ...named('account', 'updated external_account.created external_account.deleted external_account.updated'),
  'capability.updated',
  'mandate.updated',
  ...named('payment_method', 'attached automatically_updated detached updated'),
  ...named('radar.early_fraud_warning', 'created updated'),
  ...named('review', 'closed opened'),
  ...named('topup', 'canceled created failed reversed succeeded'),
];
