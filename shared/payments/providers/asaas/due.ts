// Due terms in Asaas' format.
import { toMajorUnits, toMinorUnits } from '../../formats/currencies.ts';
import { dayInSaoPaulo } from '../../formats/sao-paulo.ts';
import type { ChargeOrder } from '../charge-port.ts';
import type { DueTerms } from '../due-terms.ts';
import type { Payment } from './resources.ts';

/** The members of a new payment. Charges without terms are due on the day on which they expire. */
export function dueMembers({ due, expiresAt }: Pick<ChargeOrder, 'due' | 'expiresAt'>) {
  if (!due) return { dueDate: dayInSaoPaulo(expiresAt) };
  const { dueDate, finePercent, interestPercentMonth, discount } = due;
  return {
    dueDate,
    ...(finePercent > 0 && { fine: { value: finePercent, type: 'PERCENTAGE' } }),
    ...(interestPercentMonth > 0 && { interest: { value: interestPercentMonth } }),
    ...(discount && {
      discount: {
        ...(discount.amountMinor === undefined
          ? { value: discount.percent, type: 'PERCENTAGE' }
          : { value: toMajorUnits(discount.amountMinor, 'BRL'), type: 'FIXED' }),
        dueDateLimitDays: discount.daysBeforeDue,
      },
    }),
  };
}

/** The terms that Asaas shows with a payment. Undefined if it has none. */
export function termsOf({
  dueDate,
  originalDueDate,
  fine,
  interest,
  discount,
}: Payment): DueTerms | undefined {
  const due = originalDueDate ?? dueDate;
  const [finePercent, interestPercentMonth, reduced] = [
    fine?.value ?? 0,
    interest?.value ?? 0,
    discount?.value ?? 0,
  ];
  if (!due || (finePercent === 0 && interestPercentMonth === 0 && reduced === 0)) return undefined;
  const isPercent = discount?.type === 'PERCENTAGE';
  return {
    dueDate: due,
    daysAfterDue: 0,
    finePercent,
    interestPercentMonth,
    discount:
      reduced === 0
        ? undefined
        : {
            percent: isPercent ? reduced : undefined,
            amountMinor: isPercent ? undefined : toMinorUnits(reduced, 'BRL'),
            daysBeforeDue: discount?.dueDateLimitDays ?? 0,
          },
  };
}
