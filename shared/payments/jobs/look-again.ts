/** The first look at what became of an order is ten minutes after it opened (by trigger); each next one takes its age thrice. */
const MIN_WAIT_MS = 10 * 60_000;
const MAX_WAIT_MS = 24 * 3600_000;

/** When to ask its provider once more what became of an order of this age. */
export function lookAgainAt(created: string, now = Date.now()): Date {
  const age = now - Date.parse(created);
  return new Date(now + Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, 3 * age)));
}
