// Parses timestamps and dates of callers.

/** ISO 8601 in its extended format: seconds, their fraction and the minutes and colon of the offset are optional. */
const INSTANT =
  /^(\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(?:Z|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)$/;

const EXAMPLE = 'such as 2026-11-20T09:00:00-03:00';
/** The rule that messages name if `parseInstant` rejects a value. */
export const INSTANT_RULE = `must be an ISO 8601 timestamp with an offset or Z, ${EXAMPLE}`;
export const DAY_OR_INSTANT_RULE = `must be a date or an ISO 8601 timestamp with an offset or Z, ${EXAMPLE}`;

/** Converts an ISO 8601 timestamp to UTC with microseconds. Undefined if it is invalid or outside the years 1 to 9999. */
export function parseInstant(value: string): string | undefined {
  const [, minutes = '', seconds = '00', fraction = '', hours, rest = '00'] = INSTANT.exec(value) ?? [];
  // `Date` accepts 30 February as a day in March, so days after the 28th are checked separately.
  const date = minutes.slice(0, 10);
  if (!minutes || (date.slice(8) > '28' && new Date(date).toJSON()?.slice(0, 10) !== date)) return undefined;
  const instant = new Date(`${minutes}:${seconds}${hours ? `${hours}:${rest}` : 'Z'}`);
  if (Number.isNaN(instant.getTime())) return undefined;
  const iso = instant.toISOString();
  if (!/^(?!0000)\d{4}-/.test(iso)) return undefined;
  return `${iso.slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

/** Like `parseInstant`, for parameters of a URL, where a `+` that is not encoded means a space. */
export const parseInstantInUrl = (value: string): string | undefined => parseInstant(value.replace(' ', '+'));

/** Like `parseInstant`; a day in the format `YYYY-MM-DD` means its midnight in UTC. */
export const parseDayOrInstant = (value: string): string | undefined => parseInstant(asInstant(value));

/** Like `parseDayOrInstant`, for parameters of a URL. */
export const parseDayOrInstantInUrl = (value: string): string | undefined =>
  parseInstantInUrl(asInstant(value));

const asInstant = (value: string): string => (isDay(value) ? `${value}T00:00:00Z` : value);

/** Whether this is an existing date in the format `YYYY-MM-DD`. */
export const isDay = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && parseInstant(`${value}T00:00:00Z`) !== undefined;

/** Formats a timestamp from the database in UTC with milliseconds. */
export const toMilliseconds = (stored: string): string => new Date(stored).toISOString();

const STORED = /^(\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}(?::\d{2})?)$/;

/**
 * Converts a time from the database's JSON format to UTC with microseconds. The precision makes the times of two changes of a record
 * distinguishable.
 */
export function utcTime(stored: string): string {
  const [, seconds = '', fraction = '', offset = ''] = STORED.exec(stored) ?? [];
  if (!seconds) return stored;
  const utc = /^(Z|\+00(:00)?)$/.test(offset)
    ? seconds
    : new Date(`${seconds}${offset.length === 3 ? `${offset}:00` : offset}`).toISOString().slice(0, 19);
  return `${utc}.${fraction.padEnd(6, '0')}Z`;
}

/** Like `utcTime`, for nullable times. */
export const utcTimeOrNull = (stored: string | null): string | null =>
  stored === null ? null : utcTime(stored);
