// Checks a file without sending anything.
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Fault, Kind } from './kind.ts';
import type { Line } from './lines.ts';
import { conflictOf, type SeenLines } from './repeats.ts';
import { printCounts, printInvalid, printNamed } from './report.ts';
import { noCounts } from './state.ts';

/** Counts lines as a real run would if none of the records existed. */
export async function dryRun(context: Context, kind: Kind, lines: AsyncGenerator<Line>): Promise<ExitCode> {
  const { out } = context;
  const counts = noCounts();
  const seen: SeenLines = new Map();
  const owners = new Map<string, string>();
  for await (const line of lines) {
    context.signal.throwIfAborted();
    const key = kind.keyOf(line.item);
    const unique = kind.uniqueOf(line.item);
    const owner = unique && owners.get(unique.value);
    const newFaults = [
      ...(seen.has(key) ? [] : kind.newFaultsOf(line.item).map(unlessExists)),
      ...(unique && owner !== undefined && owner !== key
        ? [{ field: unique.field, message: 'is already used by an earlier line' }]
        : []),
    ];
    if (line.faults.length > 0) {
      printInvalid(out, line);
      counts.invalid += 1;
    } else if (newFaults.length > 0) {
      printInvalid(out, { ...line, faults: newFaults });
      counts.skipped += 1;
    } else {
      counts[seen.has(key) ? 'duplicates' : 'processed'] += 1;
      const conflict = conflictOf(seen, kind, line);
      if (conflict) printNamed(out, 'conflict', conflict);
      counts.conflicts += conflict ? 1 : 0;
      if (unique) owners.set(unique.value, key);
    }
  }
  const code = await printCounts(out, kind.name, counts, true);
  out.note('Dry run: nothing was sent.');
  return code;
}

const unlessExists = ({ field, message }: Fault): Fault => ({
  field,
  message: `${message} unless the record exists`,
});
