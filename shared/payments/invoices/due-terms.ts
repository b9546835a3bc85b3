// Due dates of invoices: the members of a request, their rules, and the terms for the provider.
import { z } from 'zod';
import type { ErrorDetail } from '../../platform/errors.ts';
import { isDay } from '../../platform/instants.ts';
import { dayInSaoPaulo } from '../formats/sao-paulo.ts';
import type { PaymentMethod } from '../providers/charge-port.ts';
import { type DueTerms, percentOf } from '../providers/due-terms.ts';
import { type HasMember, objectOf, optional, type ValidPart } from '../requests/fields.ts';

/** The methods that can have a due date. */
const DUE_METHODS: readonly PaymentMethod[] = ['pix', 'boleto', 'bolepix'];
const DEFAULT_DAYS_AFTER_DUE = 30;
/** The law's limits for consumers, in percent. A tenant may have higher ones for companies (`admin.set_due_limits`). */
const CONSUMER_LIMITS = { fine_percent: 2, interest_percent_month: 1 } as const;
const MAX_COMPANY_PERCENT = 20;

const wholeNumber = (least: number, most: number) =>
  z
    .number({ error: `must be an integer from ${least} to ${most}` })
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, {
      error: `must be an integer from ${least} to ${most}`,
    })
    .meta({ type: 'integer', minimum: least, maximum: most });

const hasTwoDecimals = (value: number) =>
  Math.abs(value * 100 - Math.round(value * 100)) < 1e-9 * Math.max(1, value);

const percent = (rule: string, isValid: (value: number) => boolean, maximum: number) =>
  z
    .number({ error: rule })
    .refine((value) => isValid(value) && hasTwoDecimals(value), { error: rule })
    .meta({ type: 'number', minimum: 0, maximum });

const lateRate = percent(
  'must be a percentage of at least 0 with at most 2 decimals',
  (value) => value >= 0,
  MAX_COMPANY_PERCENT,
);

const yearAfter = (day: string): string => `${Number(day.slice(0, 4)) + 1}${day.slice(4)}`;

const dueDate = z
  .string({ error: 'must be a date, YYYY-MM-DD' })
  .refine(isDay, { error: 'must be a date, YYYY-MM-DD' })
  .meta({ format: 'date' });

const discount = objectOf({
  percent: optional(
    percent(
      'must be a percentage above 0 and below 100 with at most 2 decimals',
      (value) => value > 0 && value < 100,
      100,
    ),
  ).meta({ type: ['number', 'null'] }),
  amount: optional(
    z
      .number({ error: 'must be an integer in minor units' })
      .refine((value) => Number.isInteger(value) && value >= 1, {
        error: 'must be a positive integer in minor units',
      }),
  ).meta({ type: ['integer', 'null'], minimum: 1 }),
  days_before_due: optional(wholeNumber(0, 365))
    .meta({ type: ['integer', 'null'] })
    .describe('The discount applies until this many days before the due date. Default: 0.'),
});

/** Members of `payment_method`. */
export const dueMembers = {
  due_date: optional(dueDate)
    .meta({ type: ['string', 'null'] })
    .describe('For pix, boleto and bolepix in Brazil: a day from today to a year from today, in São Paulo.'),
  days_after_due: optional(wholeNumber(0, 180))
    .meta({ type: ['integer', 'null'] })
    .describe('The invoice can be paid late for this many days. Default: 30.'),
  fine_percent: optional(lateRate)
    .meta({ type: ['number', 'null'] })
    .describe('Fine for late payment, in percent of the amount. At most 2 for consumers.'),
  interest_percent_month: optional(lateRate)
    .meta({ type: ['number', 'null'] })
    .describe('Interest for late payment, in percent of the amount per month. At most 1 for consumers.'),
  discount: optional(discount).describe('Discount for early payment, as percent or amount.'),
};

const dueSchema = z.object(dueMembers);

/** The due members of a request or a stored payment method. */
export type DueInput = Partial<z.output<typeof dueSchema>>;

const dueNames = Object.keys(dueMembers) as (keyof typeof dueMembers)[];

/** The due members that are given; undefined if none is. */
export function givenDueMembers(method: ValidPart<DueInput>): Record<string, unknown> | undefined {
  const given = dueNames.filter((name) => method[name] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, method[name]]));
}

interface RelatedFields {
  method: ValidPart<DueInput> & { type?: PaymentMethod | undefined };
  has: HasMember;
  amountMinor: number | undefined;
  taxId: string | undefined;
}

/** Whether the customer is a company, for which a tenant may have higher limits. */
export const isCompany = (taxId: string | undefined): boolean => taxId?.length === 14;

/** The faults between the due members and other fields. */
export function dueTermErrors(
  { method, has, amountMinor, taxId }: RelatedFields,
  fault: (field: string, message: string, needs?: string[]) => void,
): void {
  const given = Object.keys(givenDueMembers(method) ?? {});
  const { type } = method;
  if (type && !DUE_METHODS.includes(type)) {
    for (const name of given) fault(`payment_method.${name}`, `is only for ${DUE_METHODS.join(', ')}`);
    return;
  }
  if (!has('payment_method.due_date')) {
    for (const name of given) fault(`payment_method.${name}`, 'requires due_date');
  } else if (has('payment_method.expires_in_seconds')) {
    fault('payment_method.expires_in_seconds', 'cannot be combined with due_date. Use days_after_due.');
  }
  for (const [name, limit] of Object.entries(CONSUMER_LIMITS) as [keyof typeof CONSUMER_LIMITS, number][]) {
    const maximum = isCompany(taxId) ? MAX_COMPANY_PERCENT : limit;
    if ((method[name] ?? 0) > maximum)
      fault(`payment_method.${name}`, `must be at most ${maximum}`, ['customer.tax_id']);
  }
  const DISCOUNT = 'payment_method.discount';
  if (method.discount && has(`${DISCOUNT}.percent`) === has(`${DISCOUNT}.amount`))
    fault(DISCOUNT, 'must have either percent or amount');
  const { amount: reduced, percent: reducedPercent } = method.discount ?? {};
  if (amountMinor === undefined) return;
  if (reduced !== undefined && reduced >= amountMinor)
    fault('payment_method.discount.amount', `must be less than the amount: at most ${amountMinor - 1}`);
  if (reducedPercent !== undefined && percentOf(amountMinor, reducedPercent) >= amountMinor)
    fault('payment_method.discount.percent', 'must leave at least one minor unit to pay');
}

/** Faults of a due date that depend on the day of the request. */
export function dueDateErrorsToday({ due_date: due }: ValidPart<DueInput>): ErrorDetail[] {
  const today = dayInSaoPaulo(new Date());
  const fault = (message: string) => [{ field: 'payment_method.due_date', message }];
  if (due === undefined || (due >= today && due <= yearAfter(today))) return [];
  return fault(due < today ? 'must be today or later in São Paulo' : 'must be at most a year from today');
}

/** The terms of a stored payment method. */
export function dueTermsOf(method: DueInput): DueTerms | undefined {
  if (method.due_date === undefined) return undefined;
  const { discount: reduced } = method;
  return {
    dueDate: method.due_date,
    daysAfterDue: method.days_after_due ?? DEFAULT_DAYS_AFTER_DUE,
    finePercent: method.fine_percent ?? 0,
    interestPercentMonth: method.interest_percent_month ?? 0,
    discount: reduced && {
      percent: reduced.percent,
      amountMinor: reduced.amount,
      daysBeforeDue: reduced.days_before_due ?? 0,
    },
  };
}

/** The terms as responses show them: those that were given, with defaults. */
export function serializeDueTerms(method: DueInput) {
  const terms = dueTermsOf(method);
  if (!terms) return {};
  const { fine_percent, interest_percent_month, discount: reduced } = method;
  return {
    due_date: terms.dueDate,
    days_after_due: terms.daysAfterDue,
    ...(fine_percent !== undefined && { fine_percent }),
    ...(interest_percent_month !== undefined && { interest_percent_month }),
    ...(reduced && { discount: { ...reduced, days_before_due: reduced.days_before_due ?? 0 } }),
  };
}
