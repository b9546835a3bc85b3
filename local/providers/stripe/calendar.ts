/** Business days in UTC, which determine when money becomes available. Bank holidays are not emulated. */
const DAY_S = 24 * 60 * 60;

export const startOfDay = (seconds: number): number => Math.floor(seconds / DAY_S) * DAY_S;

const isBusinessDay = (dayStart: number): boolean => ![0, 6].includes(new Date(dayStart * 1000).getUTCDay());

/** Start of the day after this number of business days; for 0, the time itself. */
export function businessDaysAfter(seconds: number, count: number): number {
  if (count === 0) return seconds;
  let day = startOfDay(seconds);
  for (let left = count; left > 0; ) {
    day += DAY_S;
    if (isBusinessDay(day)) left -= 1;
  }
  return day;
}

export const daysAfter = (seconds: number, count: number): number => startOfDay(seconds) + count * DAY_S;
