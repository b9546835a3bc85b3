// Date helpers: Asaas' dates have no time zone and refer to São Paulo.
import { addDays, dayInSaoPaulo } from '../../formats/sao-paulo.ts';

export { dayInSaoPaulo, startOfDay } from '../../formats/sao-paulo.ts';

/** The day before in São Paulo: a safe start for searches, even if clocks differ around midnight. */
export const dayBefore = (time: Date): string => addDays(dayInSaoPaulo(time), -1);

/** The day, or today in São Paulo if that is later: west of it the tenant's day ends later, and Asaas refuses past days. */
export function notBeforeToday(day: string): string {
  const today = dayInSaoPaulo(new Date());
  return day < today ? today : day;
}

/** A time such as `2026-11-23 16:45:03` in São Paulo. Undefined for other formats. */
export function timeInSaoPaulo(text: string | null | undefined): Date | undefined {
  return text && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)
    ? new Date(`${text.replace(' ', 'T')}-03:00`)
    : undefined;
}
