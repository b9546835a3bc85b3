// Prints what happened to the lines of a file.
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { type Output, printable } from '../output.ts';
import type { KindName } from './kind.ts';
import type { Line } from './lines.ts';
import type { NamedLine } from './send.ts';
import type { Counts } from './state.ts';

type Result = Pick<Output, 'show'>;

export function printInvalid(out: Result, { number, faults }: Pick<Line, 'number' | 'faults'>): void {
  for (const { field, message, value } of faults) {
    const cell = value === undefined ? '' : ` ${JSON.stringify(value)}`;
    out.show(`line ${number}  ${printable(`${field}${cell}`)}  ${printable(message)}`, {
      ...{ line: number, field, rule: message },
      ...(value !== undefined && { value }),
    });
  }
}

export function printNamed(
  out: Result,
  member: 'skipped' | 'conflict',
  { line, externalId, reason }: NamedLine,
): void {
  out.show(`line ${line}  ${printable(externalId)}  ${member}: ${printable(reason)}`, {
    line,
    external_id: externalId,
    [member]: reason,
  });
}

const CREATED_OR_UPDATED = {
  processed: 'created',
  duplicates: 'already existed, updated',
  skipped: 'rejected',
  invalid: 'invalid, not sent',
  conflicts: 'of these, with the id of an earlier line',
};
const LABELS: Record<KindName, Record<Exclude<keyof Counts, 'unmapped'>, string>> = {
  activities: {
    processed: 'recorded',
    duplicates: 'already sent',
    skipped: 'skipped: send them again once their collaborator exists',
    invalid: 'invalid, not sent',
    conflicts: 'of those already sent, with other content',
  },
  collaborators: CREATED_OR_UPDATED,
  leads: CREATED_OR_UPDATED,
  deals: CREATED_OR_UPDATED,
};

/** Prints the summary, and returns the exit code. */
export async function printCounts(
  out: Pick<Output, 'json' | 'table' | 'note'>,
  kind: KindName,
  { unmapped, ...counts }: Counts,
  isDryRun: boolean,
): Promise<ExitCode> {
  const { processed, duplicates, skipped, invalid, conflicts } = counts;
  const total = processed + duplicates + skipped + invalid;
  const isMapped = kind !== 'activities' || isDryRun;
  out.json({ kind, dry_run: isDryRun, ...counts, ...(!isMapped && { unmapped }), total });
  const rows = Object.entries(LABELS[kind]).map(([name, label]) => [
    label,
    String(counts[name as keyof typeof counts]),
  ]);
  await out.table([kind, 'lines'], [...rows, ['total', String(total)]]);
  if (unmapped > 0)
    out.note(
      `${unmapped} ${unmapped === 1 ? 'activity has' : 'activities have'} a code without a mission, and earn points once an admin maps the code.`,
    );
  return skipped + invalid + conflicts > 0 ? exitCodes.incomplete : exitCodes.ok;
}
