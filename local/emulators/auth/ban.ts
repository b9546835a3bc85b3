import { AuthError } from './errors.ts';

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** When a ban of this length ends: `none` lifts it, else a duration as Go writes it, such as `876000h` or `1h30m`. */
export function readBan(duration: string): Date | null {
  if (duration === 'none') return null;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(duration)) {
    throw new AuthError(400, 'validation_failed', `invalid format for ban duration: ${duration}`);
  }
  const parts = [...duration.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  const lengthMs = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
  return new Date(Date.now() + lengthMs);
}
