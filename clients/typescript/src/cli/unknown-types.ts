// Types that no event has: a slip of the pen that would otherwise wait for ever.
import type { Context } from './context.ts';
import { typeFilter } from './feed.ts';

/** `lead.status_changed` under the names of variant C. */
const OTHER_NAMES = ['lead.stage_changed'];

/** Warns, and goes on: a deployment may be newer than this program. */
export async function warnOfUnknown(patterns: readonly string[], { out }: Context): Promise<void> {
  const { triggers } = await import('./trigger/triggers.ts');
  const types = [...Object.keys(triggers), ...OTHER_NAMES];
  for (const pattern of patterns.filter((one) => !types.some(typeFilter([one])))) {
    out.warn(`"${pattern}" fits no event that this version knows: placar trigger --list names them.`);
  }
}
