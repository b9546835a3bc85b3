/** The first look at what became of an order is ten minutes after it opened (by trigger); each next one takes its age thrice. */
const MIN_WAIT_MS = 10 * 60_000;
const MAX_WAIT_MS = 24 * 3600_000;

/** The same for what is decided within minutes: the first look after one. */
export function lookSoonAt(created: string, now: Date): Date {
  const age = now.getTime() - Date.parse(created);
  return new Date(now.getTime() + Math.min(MAX_WAIT_MS, Math.max(60_000, age)));
}

/** When to ask its provider once more what became of an order of this age. `now` by the database's clock. */
export function lookAgainAt(created: string, now: Date): Date {
  const age = now.getTime() - Date.parse(created);
  return new Date(now.getTime() + Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, 3 * age)));
}
