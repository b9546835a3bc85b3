/** Payment methods: requirements of the account and currency, and fees. */

import { refused } from './errors.ts';
import type { Fee, Method } from './options.ts';
import type { Account, BankTransfer } from './state.ts';

const CURRENCIES: Record<Method, readonly string[] | null> = {
  card: null,
  us_bank_account: ['usd'],
  sepa_debit: ['eur'],
  customer_balance: ['usd', 'eur'],
};

type Capability = keyof Account['options']['capabilities'];

function capabilityOf(method: Method, currency: string): Capability {
  switch (method) {
    case 'card':
      return 'card_payments';
    case 'us_bank_account':
      return 'us_bank_account_ach_payments';
    case 'sepa_debit':
      return 'sepa_debit_payments';
    case 'customer_balance':
      return currency === 'usd' ? 'us_bank_transfer_payments' : 'sepa_bank_transfer_payments';
  }
}

export function requireMethod(account: Account, method: Method, currency: string, index: number): void {
  const param = 'payment_method_types';
  if (account.options.capabilities[capabilityOf(method, currency)] !== 'active') {
    throw refused(
      `The payment method type provided: ${method} is invalid. Please ensure the provided type is activated in your ` +
        'dashboard (https://dashboard.stripe.com/account/payments/settings) and your account is enabled for any preview ' +
        'features that you are trying to use. See https://stripe.com/docs/payments/payment-methods/integration-options ' +
        'for supported payment method, currency, and country combinations.',
      { param },
    );
  }
  const allowed = CURRENCIES[method];
  if (allowed === null || allowed.includes(currency)) return;
  throw refused(
    `The payment method \`${method}\` cannot be used with the currency \`${currency}\`. It supports: ${allowed.join(', ')}.`,
    { param: `${param}[${index}]` },
  );
}

/** Whether the account has the method enabled for this currency. */
export const isPossible = (account: Account, method: Method, currency: string): boolean =>
  account.options.capabilities[capabilityOf(method, currency)] === 'active' &&
  (CURRENCIES[method]?.includes(currency) ?? true);

/** Countries whose bank accounts Stripe provides for transfers in euros. */
export const BANK_TRANSFER_COUNTRIES = ['BE', 'DE', 'ES', 'FR', 'IE', 'NL'] as const;

export const feeOf = ({ percent, fixed, max }: Fee, amount: number): number =>
  Math.min(Math.round((amount * percent) / 100) + fixed, max ?? Number.POSITIVE_INFINITY, amount);

const ADDRESS = {
  city: 'Berlin',
  country: 'DE',
  line1: 'Beispielstrasse 1',
  line2: null,
  postal_code: '10115',
  state: null,
};

/** Where a customer transfers money to, and the open amount. */
export function transferInstructions(
  transfer: BankTransfer,
  currency: string,
  remaining: number,
  reference: string,
  page: string,
): Record<string, unknown> {
  const holder = {
    account_holder_address: ADDRESS,
    account_holder_name: 'Emulated account',
    bank_address: ADDRESS,
  };
  const addresses =
    transfer.type === 'us_bank_transfer'
      ? [
          {
            aba: {
              ...holder,
              account_number: '11119876543210',
              account_type: 'checking',
              bank_name: 'Emulated bank',
              routing_number: '999999999',
            },
            supported_networks: ['ach', 'domestic_wire_us'],
            type: 'aba',
          },
        ]
      : [
          {
            iban: {
              ...holder,
              bic: 'EMULDEFFXXX',
              country: transfer.country,
              iban: 'DE89370400440532013000',
            },
            supported_networks: ['sepa'],
            type: 'iban',
          },
        ];
  return {
    type: 'display_bank_transfer_instructions',
    display_bank_transfer_instructions: {
      amount_remaining: remaining,
      currency,
      financial_addresses: addresses,
      hosted_instructions_url: page,
      reference,
      type: transfer.type,
    },
  };
}
