// Moments as callers write them.

const INSTANT =
  /^(\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An RFC 3339 timestamp as an instant in UTC with microseconds; undefined when it is none, or in no year of 1 to 9999. */
export function parseInstant(value: string): string | undefined {
  const [, seconds = '', fraction = '', offset = ''] = INSTANT.exec(value) ?? [];
  // Date rolls 30 February over to March; such a day does not exist here. Days up to 28 are in every month.
  const date = seconds.slice(0, 10);
  if (!seconds || (date.slice(8) > '28' && new Date(date).toJSON()?.slice(0, 10) !== date)) return undefined;
  const instant = new Date(`${seconds}${offset}`);
  if (Number.isNaN(instant.getTime())) return undefined;
  const iso = instant.toISOString();
  if (!/^(?!0000)\d{4}-/.test(iso)) return undefined;
  return `${iso.slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

/** Whether this is a day that exists, as `YYYY-MM-DD`. */
export const isDay = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && parseInstant(`${value}T00:00:00Z`) !== undefined;

/** A time of the database in UTC with milliseconds. */
export const toMilliseconds = (stored: string): string => new Date(stored).toISOString();
