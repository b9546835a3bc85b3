/** Test cards and test bank accounts by number, from Stripe's testing documentation. */

export interface Decline {
  code: string;
  /** For declines by the issuer. */
  declineCode?: string;
  message: string;
}

export type DisputePlan = { reason: string; inquiry: boolean };

export interface Card {
  brand: string;
  country: string;
  funding: string;
  decline?: Decline;
  needsAuthentication?: boolean;
  dispute?: DisputePlan;
  /** Outcome of refunds to the card. */
  refunds?: 'later' | 'fail';
  availableAtOnce?: boolean;
}

const visa = (more: Partial<Card> = {}): Card => ({
  brand: 'visa',
  country: 'US',
  funding: 'credit',
  ...more,
});

const declined = (declineCode: string): Card =>
  visa({
    decline: {
      code: 'card_declined',
      declineCode,
      message: DECLINES[declineCode] ?? 'Your card was declined.',
    },
  });

const DECLINES: Record<string, string> = {
  generic_decline: 'Your card was declined.',
  insufficient_funds: 'Your card has insufficient funds.',
  fraudulent: 'Your card was declined.',
};

const CARDS: Record<string, Card> = {
  '4242424242424242': visa(),
  '4000056655665556': visa({ funding: 'debit' }),
  '5555555555554444': visa({ brand: 'mastercard' }),
  '378282246310005': visa({ brand: 'amex' }),
  '4000002760000016': visa({ country: 'DE' }),
  '4000000760000002': visa({ country: 'BR' }),
  '4000000000000077': visa({ availableAtOnce: true }),
  '4000000000000002': declined('generic_decline'),
  '4000000000009995': declined('insufficient_funds'),
  '4000000000009987': declined('lost_card'),
  '4000000000009979': declined('stolen_card'),
  '4100000000000019': declined('fraudulent'),
  '4000000000000069': visa({ decline: { code: 'expired_card', message: 'Your card has expired.' } }),
  '4000000000000127': visa({
    decline: { code: 'incorrect_cvc', message: "Your card's security code is incorrect." },
  }),
  '4000000000000119': visa({
    decline: {
      code: 'processing_error',
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
  }),
  '4000002500003155': visa({ needsAuthentication: true }),
  '4000002760003184': visa({ needsAuthentication: true }),
  '4000000000003220': visa({ needsAuthentication: true }),
  '4000008400001629': { ...declined('generic_decline'), needsAuthentication: true },
  '4000000000000259': visa({ dispute: { reason: 'fraudulent', inquiry: false } }),
  '4000000000002685': visa({ dispute: { reason: 'product_not_received', inquiry: false } }),
  '4000000000001976': visa({ dispute: { reason: 'fraudulent', inquiry: true } }),
  '4000000000007726': visa({ refunds: 'later' }),
  '4000000000005126': visa({ refunds: 'fail' }),
};

/** Unknown numbers are valid cards. */
export const cardOf = (number: string): Card => CARDS[number] ?? visa();

export const cardNumbers = (): string[] => Object.keys(CARDS);

/** Outcome of a debit; null if it never concludes. */
export type DebitOutcome = { decline?: Decline; dispute?: DisputePlan } | null;

const failing = (code: string, message: string): DebitOutcome => ({ decline: { code, message } });
const DISPUTED: DebitOutcome = { dispute: { reason: 'debit_not_authorized', inquiry: false } };

const BANK_ACCOUNTS: Record<string, DebitOutcome> = {
  // United States
  '000123456789': {},
  '000111111113': failing('account_closed', 'The bank account has been closed.'),
  '000111111116': failing('no_account', 'The bank account could not be located.'),
  '000222222227': failing('insufficient_funds', 'The account has insufficient funds to cover this payment.'),
  '000333333335': failing(
    'debit_not_authorized',
    'The customer has notified their bank that this payment was unauthorized.',
  ),
  '000555555559': DISPUTED,
  '000000000009': null,
  // SEPA
  AT611904300234573201: {},
  AT861904300235473202: failing('generic_decline', 'The payment failed.'),
  AT981904300000343434: DISPUTED,
};

/** Unknown numbers are valid accounts. */
export function debitOf(number: string): DebitOutcome {
  const known = BANK_ACCOUNTS[number.replaceAll(' ', '')];
  return known === undefined ? {} : known;
}
