// Due dates with fines, interest and discounts: the amount due on a day, and the division of a received amount. A due date or the last
// day of a discount that is a weekend or a bank holiday moves to the next business day (Law 7.089 of 1983).
import { bankDayFrom } from '../formats/business-days.ts';
import { addDays, daysBetween } from '../formats/sao-paulo.ts';

/** The due terms of a charge. Days are those of São Paulo. */
export interface DueTerms {
  /** `YYYY-MM-DD`. */
  dueDate: string;
  /** How many days after the due date the charge can be paid. */
  daysAfterDue: number;
  /** Of the amount, once. 0: no fine. */
  finePercent: number;
  /** Of the amount, per month of 30 days. 0: no interest. */
  interestPercentMonth: number;
  discount: Discount | undefined;
}

/** Exactly one of `percent` and `amountMinor` is set. */
export interface Discount {
  percent: number | undefined;
  amountMinor: number | undefined;
  /** The discount applies until this many days before the due date. */
  daysBeforeDue: number;
}

/** How a received amount is divided. All in minor units, 0 or more. */
export interface Division {
  /** Whether the charge is paid. If not, everything received is a partial payment. */
  covered: boolean;
  fine: number;
  interest: number;
  discount: number;
  overpaid: number;
}

/** The last day of the terms. Banks still accept a payment on the next business day (`bankDayFrom`). */
export const lastDayOf = ({ dueDate, daysAfterDue }: DueTerms): string => addDays(dueDate, daysAfterDue);

const DAYS_PER_MONTH = 30;
/** Percentages have two decimals. */
const PARTS_OF_A_WHOLE = 10_000;

const partsOf = (percent: number): bigint => BigInt(Math.round((percent * PARTS_OF_A_WHOLE) / 100));

/** Rounds half up. */
const quotient = (numerator: bigint, denominator: bigint): number =>
  Number((numerator * 2n + denominator) / (denominator * 2n));

/** A percentage of an amount, rounded half up. */
export const percentOf = (amountMinor: number, percent: number): number =>
  quotient(BigInt(amountMinor) * partsOf(percent), BigInt(PARTS_OF_A_WHOLE));

/** The discount that the payer may take on a day. */
function discountOn(amountMinor: number, { dueDate, discount }: DueTerms, day: string): number {
  if (!discount || day > bankDayFrom(addDays(dueDate, -discount.daysBeforeDue))) return 0;
  return discount.amountMinor ?? percentOf(amountMinor, discount.percent ?? 0);
}

/** The amounts that a payer owes on a day. */
export function amountDueOn(amountMinor: number, terms: DueTerms, day: string): number {
  if (day <= bankDayFrom(terms.dueDate)) return amountMinor - discountOn(amountMinor, terms, day);
  // Interest accrues from the due date itself.
  const daysLate = daysBetween(terms.dueDate, day);
  const interest = quotient(
    BigInt(amountMinor) * partsOf(terms.interestPercentMonth) * BigInt(daysLate),
    BigInt(PARTS_OF_A_WHOLE * DAYS_PER_MONTH),
  );
  return amountMinor + percentOf(amountMinor, terms.finePercent) + interest;
}

interface Received {
  amountMinor: number;
  /** The payer's day, `YYYY-MM-DD`. */
  on: string;
  /** The part that is fine and interest, if the provider says so. Default: whatever exceeds the charge. */
  feesForLatenessMinor: number | undefined;
}

/** Divides the amount received for a charge. Without terms, only the amounts count. */
export function divide(amountMinor: number, terms: DueTerms | undefined, received: Received): Division {
  const none = { covered: true, fine: 0, interest: 0, discount: 0, overpaid: 0 };
  const excess = received.amountMinor - amountMinor;
  if (excess < 0) {
    // A cent more, because banks round differently.
    const due = terms ? discountOn(amountMinor, terms, received.on) : 0;
    return due > 0 && -excess <= due + 1 ? { ...none, discount: -excess } : { ...none, covered: false };
  }
  // A provider that reports fine and interest knows of more holidays than we do.
  const isCharged = (received.feesForLatenessMinor ?? 0) > 0;
  const isLate = terms && received.on > (isCharged ? terms.dueDate : bankDayFrom(terms.dueDate));
  if (!isLate || (terms.finePercent === 0 && terms.interestPercentMonth === 0))
    return { ...none, overpaid: excess };
  const forLateness = Math.min(excess, received.feesForLatenessMinor ?? excess);
  const fine = Math.min(forLateness, percentOf(amountMinor, terms.finePercent));
  return { ...none, fine, interest: forLateness - fine, overpaid: excess - forLateness };
}
