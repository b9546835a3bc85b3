// Days in São Paulo: the time zone for due dates of Brazilian invoices. It has had no daylight saving time since 2019.

const DAY_MS = 86_400_000;

/** Sweden writes dates as `YYYY-MM-DD`. */
const calendar = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' });

/** The day in São Paulo, `YYYY-MM-DD`. */
export const dayInSaoPaulo = (time: Date): string => calendar.format(time);

/** The start of a day in São Paulo. */
export const startOfDay = (day: string): Date => new Date(`${day.slice(0, 10)}T00:00:00-03:00`);

/** The last millisecond of a day in São Paulo. */
export const endOfDay = (day: string): Date => new Date(startOfDay(day).getTime() + DAY_MS - 1);

/** The day that is this many days later. */
export function addDays(day: string, days: number): string {
  const time = Date.parse(`${day}T12:00:00Z`) + days * DAY_MS;
  return new Date(time).toISOString().slice(0, 10);
}

/** Days from one day to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

/** The day before in São Paulo: a safe start for searches, even if clocks differ around midnight. */
export const dayBefore = (time: Date): string => addDays(dayInSaoPaulo(time), -1);

/** A time such as `2026-11-23 16:45:03` in São Paulo. Undefined for other formats. */
export function timeInSaoPaulo(text: string | null | undefined): Date | undefined {
  return text && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)
    ? new Date(`${text.replace(' ', 'T')}-03:00`)
    : undefined;
}
