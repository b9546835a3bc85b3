// What the account can do, and what is on it.
import type { Stripe } from 'stripe';
import type { AccountReport, Balance, Capabilities } from '../provider.ts';
import type { CallStripe } from './client.ts';
import { fromStripe } from './money.ts';

export async function inspectAccount(ask: CallStripe, signal: AbortSignal): Promise<AccountReport> {
  const [account, balances] = await Promise.all([
    ask(signal, (stripe) => stripe.accounts.retrieveCurrent()),
    readBalances(ask, signal),
  ]);
  const own = account.default_currency?.toUpperCase();
  return {
    capabilities: capabilitiesOf(account),
    balances: balances.toSorted((a, b) => Number(b.currency === own) - Number(a.currency === own)),
  };
}

/** What is available and what is pending: an entry of the statement changes their sum when it is made. */
export async function readBalances(ask: CallStripe, signal: AbortSignal): Promise<Balance[]> {
  const { available, pending } = await ask(signal, (stripe) => stripe.balance.retrieve());
  const sums = new Map<string, number>();
  for (const { currency, amount } of [...available, ...pending]) {
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  return [...sums].map(([currency, amount]) => ({
    currency: currency.toUpperCase(),
    amountMinor: fromStripe(amount, currency),
  }));
}

type Names = keyof NonNullable<Stripe.Account['capabilities']>;

function capabilitiesOf({ charges_enabled: charges, capabilities = {} }: Stripe.Account): Capabilities {
  /** Several: it is enough to have one of them. */
  const takes = (what: string, ...names: Names[]) => {
    if (!charges) return 'Stripe takes no payments for this account yet: complete its details at Stripe.';
    const states = names.map((name) => capabilities[name]);
    if (states.includes('active')) return null;
    if (states.includes('pending')) return `Stripe is still looking at ${what} for this account.`;
    return `${what} are off for this account: turn them on at Stripe, in the settings of payment methods.`;
  };
  return {
    pix: 'Placar takes no Pix through Stripe: connect Asaas.',
    boleto: 'Placar takes no boletos through Stripe: connect Asaas.',
    card: takes('Cards', 'card_payments'),
    ach_debit: takes('ACH debits', 'us_bank_account_ach_payments'),
    sepa_debit: takes('SEPA debits', 'sepa_debit_payments'),
    bank_transfer: takes(
      'Bank transfers',
      'us_bank_transfer_payments',
      'sepa_bank_transfer_payments',
      'bank_transfer_payments',
    ),
    payout: 'Stripe pays out to the account holder alone: connect Asaas or Wise.',
    tax_document: 'Stripe issues no tax documents: connect Asaas.',
    tax_document_cancellation: 'Stripe issues no tax documents: connect Asaas.',
  };
}
