/** Details of a transfer in addition to recipient and quote: purpose, source of funds, and the reference with its limit. */
import { type Draft, type Field, select, text } from './form-fields.ts';
import { toMinorUnits } from './money.ts';
import type { Quote } from './state.ts';

const PURPOSES = [
  ['verification.transfers.purpose.pay.bills', 'Rent or other property expenses'],
  ['verification.transfers.purpose.send.to.family', 'Sending money home to family'],
  ['verification.transfers.purpose.living.expenses', 'General monthly living expenses'],
  ['verification.transfers.purpose.purchase.services', 'Payment for services'],
  ['verification.transfers.purpose.other', 'Other'],
] as const;

const SUB_PURPOSES = [
  ['SOFTWARE_DEVELOPMENT_SERVICE', 'Software development service'],
  ['HUMAN_RESOURCE_SERVICE', 'Human resource service'],
  ['MARKET_RESEARCH_SERVICE', 'Market research service'],
] as const;

const SOURCES = [
  ['verification.source.of.funds.salary', 'Salary'],
  ['verification.source.of.funds.investment', 'Investments (stocks, properties, etc.)'],
  ['verification.source.of.funds.other', 'Other'],
] as const;

const NATURES = [
  ['MOVING_MONEY_BETWEEN_OWN_ACCOUNTS', 'Moving money between own accounts'],
  ['BUY_OR_SELL_COMPUTER_AND_INFORMATION_SERVICE', 'Technology service'],
  ['BUY_OR_SELL_OTHER_SERVICE', 'Other service'],
  ['OTHER', 'Property purchase or sale'],
] as const;

/** Maximum length of a reference by payout currency. */
const REFERENCE_CHARACTERS: Readonly<Record<string, number>> = {
  EUR: 140,
  GBP: 18,
  USD: 10,
  AUD: 18,
  CAD: 15,
};
const OTHER_REFERENCE_CHARACTERS = 35;

const PURPOSE_TARGETS = new Set(['INR', 'THB']);
const SERVICES = 'verification.transfers.purpose.purchase.services';
/** From this amount in US dollars, the source of funds is required. */
const LARGE_USD = 80_000;

export function transferFields(quote: Quote, targetValue: number): Field[] {
  const { sourceCurrency, targetCurrency } = quote;
  const asksPurpose = PURPOSE_TARGETS.has(targetCurrency);
  const asksSource = targetCurrency === 'USD' && targetValue > (toMinorUnits('USD', LARGE_USD) ?? 0);
  const isBrazilian = [sourceCurrency, targetCurrency].includes('BRL');
  const fields: Field[] = [
    text('reference', 'Transfer reference', {
      required: false,
      max: REFERENCE_CHARACTERS[targetCurrency] ?? OTHER_REFERENCE_CHARACTERS,
      regexp: '^[a-zA-Z0-9- ]*$',
    }),
  ];
  if (asksPurpose) {
    const isServices = (draft: Draft) => draft.transferPurpose === SERVICES;
    fields.push(
      select('transferPurpose', 'Transfer purpose', PURPOSES, { refresh: true }),
      select('transferPurposeSubTransferPurpose', 'Specific reason', SUB_PURPOSES, { when: isServices }),
    );
    if (targetCurrency === 'INR') {
      fields.push(text('transferPurposeInvoiceNumber', 'Invoice number', { max: 35, when: isServices }));
    }
  }
  if (asksSource) {
    const isOther = ({ sourceOfFunds }: Draft) => sourceOfFunds === 'verification.source.of.funds.other';
    fields.push(
      select('sourceOfFunds', 'Source of funds', SOURCES, { refresh: true }),
      text('sourceOfFundsOther', 'Other source of funds', { when: isOther }),
    );
  }
  // Part of the quote. If it is missing, the transfer is accepted, but blocked and refunded later.
  if (isBrazilian) fields.push(select('transferNature', 'Reason for the transfer', NATURES));
  return fields;
}

export const lacksNature = ({ sourceCurrency, targetCurrency, transferNature }: Quote): boolean =>
  [sourceCurrency, targetCurrency].includes('BRL') && transferNature === null;
