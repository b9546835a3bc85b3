// Formats times in the workspace's time zone, and converts its local times and dates to instants.
import { language, timeZone } from './language.ts';

/** Creating a format takes longer than using it hundreds of times. */
const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, format);
  return format;
}

const parts = (at: Date, zone: string) => {
  const format = formatOf('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const found = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    date: `${found.year}-${found.month}-${found.day}`,
    time: `${found.hour}:${found.minute}:${found.second}`,
  };
};

/** `2 Mar 2026, 14:05` or `02/03/2026 14:05`. */
export function moment(at: Date): string {
  return language() === 'en' ? `${day(at)}, ${clock(at)}` : `${day(at)} ${clock(at)}`;
}

/** `14:05` */
export const clock = (at: Date): string => parts(at, timeZone()).time.slice(0, 5);

/** `2026-03-02 14:05:03` or `02/03/2026 14:05:03`, which spreadsheets and `placar sync` read. */
export function fileTime(at: Date): string {
  const { date, time } = parts(at, timeZone());
  return `${fileDate(date)} ${time}`;
}

/** A calendar date (`2026-03-02`), in English files unchanged. */
export const fileDate = (date: string): string => (language() === 'en' ? date : calendarDate(date));

/** `2 Mar 2026` or `02/03/2026`. */
export const day = (at: Date): string =>
  language() === 'en'
    ? formatOf('en-GB', { dateStyle: 'medium', timeZone: timeZone() }).format(at)
    : formatOf(language(), {
        day: '2-digit',
        month: '2-digit',
        year: 'numeric',
        timeZone: timeZone(),
      }).format(at);

/** A calendar date (`2026-03-02`) in the format of the page. */
export function calendarDate(date: string): string {
  const [year, month, dayOfMonth] = date.split('-');
  if (language() !== 'en') return `${dayOfMonth}/${month}/${year}`;
  return new Date(`${date}T12:00:00Z`).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
}

/** The calendar date of an instant in the zone. */
export const dateIn = (at: Date, zone: string): string => parts(at, zone).date;

/** `2026-03-02T14:05` in the zone, as a form field of type datetime-local shows it. */
export function fieldTime(at: Date, zone: string): string {
  const { date, time } = parts(at, zone);
  return `${date}T${time.slice(0, 5)}`;
}

/** The instant of a local time (`2026-03-02T14:05`) in the zone. For a time that a clock change skips, the first instant after it. */
export function instantOf(local: string, zone: string): Date {
  const wanted = Date.parse(`${local.slice(0, 16)}:00Z`);
  const offsetAt = (ms: number) => {
    const { date, time } = parts(new Date(ms), zone);
    return Date.parse(`${date}T${time}Z`) - ms;
  };
  const early = wanted - offsetAt(wanted - 86_400_000);
  const late = wanted - offsetAt(wanted + 86_400_000);
  // Around a clock change the two offsets differ, and only one of them applies at that time.
  const fits = [early, late].find((ms) => ms + offsetAt(ms) === wanted);
  return new Date(fits ?? Math.max(early, late));
}

/** The instant at which a calendar date begins in the zone. */
export const midnight = (date: string, zone: string): Date => instantOf(`${date}T00:00`, zone);

/** The calendar date some days later. */
export function addDays(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** `November 2026` or `novembro de 2026`, for `2026-11`. */
export const monthName = (month: string): string =>
  formatOf(language(), { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01`));
