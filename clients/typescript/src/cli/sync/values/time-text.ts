// Reads dates and times as spreadsheets and CRMs write them.
import { TZDateMini } from '@date-fns/tz';
import { isDay, parseInstant } from '../../../../../../shared/platform/instants.ts';
import type { LocalTime } from '../files/table.ts';

/** Order of day and month in a date such as 11/12/2026. */
export type DayOrder = 'dmy' | 'mdy';

export interface WrittenTime extends LocalTime {
  /** `-03:00`, or `Z`. Undefined if the text has none. */
  offset: string | undefined;
}

const DAY =
  /^(?:(?<year>\d{4})(?<sign>[-/.])(?<month>\d{1,2})\k<sign>(?<day>\d{1,2})|(?<first>\d{1,2})(?<between>[-/.])(?<second>\d{1,2})\k<between>(?<end>\d{4}|\d{2}))(?![\d/.-])/;
const TIME =
  /^(?:T|,? +(?:[àa]s +|- +)?)(?<hour>\d{1,2})[:h](?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)? ?(?<half>[AP]M)? ?(?<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

/** The date or time of a text in this order; undefined if it is not one. */
export function parseTime(text: string, order: DayOrder): WrittenTime | undefined {
  const plain = text.trim().replaceAll(/\s/g, ' ');
  const found = DAY.exec(plain);
  if (!found?.groups) return undefined;
  const day = dayOf(found.groups, order);
  if (!isDay(day)) return undefined;
  const rest = plain.slice(found[0].length);
  if (rest === '') return { day, time: undefined, offset: undefined };
  const clock = TIME.exec(rest)?.groups;
  const time = clock && clockOf(clock);
  return time === undefined ? undefined : { day, time, offset: offsetOf(clock?.zone) };
}

/** Why a text that begins like a date is none in any order. */
export function faultOfDay(text: string): string | undefined {
  const { groups } = DAY.exec(text.trim()) ?? {};
  const exists = groups && (['dmy', 'mdy'] as const).some((order) => isDay(dayOf(groups, order)));
  return groups && !exists ? 'this day does not exist' : undefined;
}

function dayOf(
  { year, month, day, first, second, end }: Record<string, string | undefined>,
  order: DayOrder,
): string {
  const [dayText, monthText] = year ? [day, month] : order === 'dmy' ? [first, second] : [second, first];
  return `${year ?? fullYear(end ?? '')}-${twoDigits(monthText)}-${twoDigits(dayText)}`;
}

/** As POSIX reads two digits: 1969 to 2068. */
const fullYear = (text: string): string => (text.length === 4 ? text : `${text < '69' ? '20' : '19'}${text}`);

const twoDigits = (text = ''): string => text.padStart(2, '0');

function clockOf({
  hour = '',
  minute,
  second,
  fraction,
  half,
}: Record<string, string | undefined>): string | undefined {
  const given = Number(hour);
  if (half !== undefined && (given < 1 || given > 12)) return undefined;
  const hours = half === undefined ? given : (given % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
  const time = `${twoDigits(String(hours))}:${minute}:${twoDigits(second)}${fraction ? `.${fraction}` : ''}`;
  return parseInstant(`2000-01-01T${time}Z`) === undefined ? undefined : time;
}

function offsetOf(zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  const [, hours, minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return hours === undefined ? 'Z' : `${hours}:${minutes}`;
}

/** The timestamp of a time that is written without an offset, in a time zone; a day means its midnight. */
export function instantIn({ day, time = '00:00:00' }: LocalTime, timeZone: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const fraction = /\.\d+$/.exec(time)?.[0] ?? '';
  const instant = new TZDateMini(year, month - 1, date, hours, minutes, Math.floor(seconds), timeZone);
  return `${new Date(instant.getTime()).toISOString().slice(0, 19)}${fraction}Z`;
}

/** The day in a time zone of a time that is written with an offset. */
export function dayIn({ day, time, offset }: WrittenTime, timeZone: string): string {
  if (offset === undefined || time === undefined) return day;
  const { format } = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return format(new Date(`${day}T${time}${offset}`));
}
