const STORED = /^(\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}(?::\d{2})?)$/;

/**
 * A time as the database writes it into JSON, in UTC with microseconds, so that two changes of a record never look the
 * same.
 */
export function utcTime(stored: string): string {
  const [, seconds = '', fraction = '', offset = ''] = STORED.exec(stored) ?? [];
  if (!seconds) return stored;
  const utc = /^(Z|\+00(:00)?)$/.test(offset)
    ? seconds
    : new Date(`${seconds}${offset.length === 3 ? `${offset}:00` : offset}`).toISOString().slice(0, 19);
  return `${utc}.${fraction.padEnd(6, '0')}Z`;
}

/** The same for a time that may be missing. */
export const utcTimeOrNull = (stored: string | null): string | null =>
  stored === null ? null : utcTime(stored);
