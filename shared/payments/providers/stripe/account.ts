// Reads the capabilities and balances of a Stripe account.
import type { Stripe } from 'stripe';
import type { AccountReport, Capabilities } from '../accounts.ts';
import type { Balance } from '../order-report.ts';
import type { CallStripe } from './client.ts';
import { fromStripe } from './money.ts';

export async function inspectAccount(ask: CallStripe): Promise<AccountReport> {
  const [account, balances] = await Promise.all([
    ask((stripe) => stripe.accounts.retrieveCurrent()),
    readBalances(ask),
  ]);
  const own = account.default_currency?.toUpperCase();
  return {
    capabilities: capabilitiesOf(account),
    balances: balances.toSorted((a, b) => Number(b.currency === own) - Number(a.currency === own)),
  };
}

/** Available plus pending amounts, because a statement entry changes their sum when it is created. */
export async function readBalances(ask: CallStripe): Promise<Balance[]> {
  const { available, pending } = await ask((stripe) => stripe.balance.retrieve());
  const sums = new Map<string, number>();
  for (const { currency, amount } of [...available, ...pending]) {
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  return [...sums].map(([currency, amount]) => ({
    currency: currency.toUpperCase(),
    amountMinor: fromStripe(amount, currency),
  }));
}

type CapabilityName = keyof NonNullable<Stripe.Account['capabilities']>;

function capabilitiesOf({ charges_enabled: charges, capabilities = {} }: Stripe.Account): Capabilities {
  /** Why a payment method is unavailable, or null if at least one of its capabilities is active. */
  const reasonFor = (method: string, ...names: CapabilityName[]) => {
    if (!charges)
      return 'Stripe does not accept payments for this account yet. Complete the account details in Stripe.';
    const states = names.map((name) => capabilities[name]);
    if (states.includes('active')) return null;
    if (states.includes('pending')) return `${method} are still under review by Stripe for this account.`;
    return `${method} are disabled for this account. Enable them in the payment method settings in Stripe.`;
  };
  return {
    pix: 'Placar does not support PIX through Stripe. Connect Asaas.',
    boleto: 'Placar does not support boletos through Stripe. Connect Asaas.',
    card: reasonFor('Cards', 'card_payments'),
    ach_debit: reasonFor('ACH debits', 'us_bank_account_ach_payments'),
    sepa_debit: reasonFor('SEPA debits', 'sepa_debit_payments'),
    bank_transfer: reasonFor(
      'Bank transfers',
      'us_bank_transfer_payments',
      'sepa_bank_transfer_payments',
      'bank_transfer_payments',
    ),
    payout: 'Stripe pays out only to the account holder. Connect Asaas or Wise.',
    tax_document: 'Stripe does not issue tax documents. Connect Asaas.',
    tax_document_cancellation: 'Stripe does not issue tax documents. Connect Asaas.',
  };
}
