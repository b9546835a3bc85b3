// Warns of event types that do not exist: waiting for a misspelled type would never end.
import type { Context } from './context.ts';
import { typeFilter } from './feed.ts';

/** Variant C's name of `lead.status_changed`. */
const OTHER_NAMES = ['lead.stage_changed'];

/** Only warns, since the deployment may be newer than this program. */
export async function warnOfUnknown(patterns: readonly string[], { out }: Context): Promise<void> {
  const { triggers } = await import('./trigger/triggers.ts');
  const types = [...Object.keys(triggers), ...OTHER_NAMES];
  for (const pattern of patterns.filter((one) => !types.some(typeFilter([one])))) {
    out.warn(`"${pattern}" matches no event known to this version. Run placar trigger --list to see all.`);
  }
}
