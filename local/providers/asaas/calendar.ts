/** Days are those of São Paulo. Money moves on business days. */
import { isBusinessDay } from '@brazilian-utils/brazilian-utils/is-business-day';
import { addDays, calendarOf } from '../days.ts';

export const saoPaulo = calendarOf('America/Sao_Paulo');

/** The library uses the time zone of this machine. */
const atNoonHere = (day: string): Date => new Date(`${day}T12:00:00`);

/** The day itself if it is a business day, otherwise the next business day. */
export function businessDayFrom(day: string): string {
  let found = day;
  while (!isBusinessDay(atNoonHere(found))) found = addDays(found, 1);
  return found;
}

/** The first business day after a day. */
export const nextBusinessDay = (day: string): string => businessDayFrom(addDays(day, 1));
