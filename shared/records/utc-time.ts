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
