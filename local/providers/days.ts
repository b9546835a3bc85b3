/** Calendar days as `YYYY-MM-DD`, and times in a provider's time zone. */

/** Noon UTC, so that adding days never crosses a date boundary. */
const noonOf = (day: string): Date => new Date(`${day}T12:00:00Z`);
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

export function addDays(day: string, days: number): string {
  const date = noonOf(day);
  date.setUTCDate(date.getUTCDate() + days);
  return dayOf(date);
}

/** Days from one day to another. */
export const daysFrom = (day: string, other: string): number =>
  Math.round((noonOf(other).getTime() - noonOf(day).getTime()) / 86_400_000);

/** Whether the text is a calendar day. 2026-02-30 is not. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(noonOf(text).getTime()) && dayOf(noonOf(text)) === text;

interface ZoneCalendar {
  /** The day in the time zone. */
  dayAt(timeMs: number): string;
  /** `YYYY-MM-DD HH:mm:ss` in the time zone. */
  dateTimeAt(timeMs: number): string;
  /** Start of the day in the time zone. */
  startOf(day: string): number;
}

/** @param timeZone IANA name of a zone whose days start at midnight */
export function calendarOf(timeZone: string): ZoneCalendar {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const dateTimeAt = (timeMs: number): string => format.format(timeMs).replace(',', '');
  return {
    dateTimeAt,
    dayAt: (timeMs) => dateTimeAt(timeMs).slice(0, 10),
    startOf(day) {
      const utc = Date.parse(`${day}T00:00:00Z`);
      const offsetMs = Date.parse(`${dateTimeAt(utc).replace(' ', 'T')}Z`) - utc;
      return utc - offsetMs;
    },
  };
}
