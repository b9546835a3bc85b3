/** Durations in the notation of QStash and Go: `30s`, `1d12h`, `876000h`. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The duration in milliseconds, or undefined if the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    totalMs += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return totalMs;
}
