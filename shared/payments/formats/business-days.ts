// Days on which Brazilian banks are open. Local holidays do not count, because the payer's bank may be anywhere.
import { isBusinessDay } from '@brazilian-utils/brazilian-utils/is-business-day';
import { addDays } from './sao-paulo.ts';

const MONDAY = 1;

/** The library reads the local date of a time. */
const localNoon = (day: string): Date => new Date(`${day}T12:00:00`);

/** Carnival Tuesday and Corpus Christi: banks are closed, although they are not holidays by law. */
const isOptionalHoliday = (day: string): boolean =>
  !isBusinessDay(localNoon(day)) && isBusinessDay(localNoon(day), { includeOptional: false });

/** The library does not have Carnival Monday, on which banks are closed. Corpus Christi is a Thursday. */
const isCarnivalMonday = (day: string): boolean =>
  localNoon(day).getDay() === MONDAY && isOptionalHoliday(addDays(day, 1));

const isBankDay = (day: string): boolean => isBusinessDay(localNoon(day)) && !isCarnivalMonday(day);

/** More than banks are ever closed in a row. The library knows no holidays after 2099. */
const MAX_CLOSED_DAYS = 10;

/** The day (`YYYY-MM-DD`), or the next one on which banks are open. */
export function bankDayFrom(day: string): string {
  for (let later = 0; later < MAX_CLOSED_DAYS; later++) {
    const next = addDays(day, later);
    if (isBankDay(next)) return next;
  }
  return day;
}
