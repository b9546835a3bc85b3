// Guesses the separator of a CSV.
import { parse } from 'csv-parse/sync';

const SEPARATORS = [',', ';', '\t', '|'];
const SAMPLE_RECORDS = 20;

/** The separator by which the most records have the same, highest number of cells. Quoted separators do not count. */
export function guessDelimiter(sample: string): string {
  const cellsBy = new Map(SEPARATORS.map((separator) => [separator, scoreOf(sample, separator)]));
  return SEPARATORS.reduce((best, one) => ((cellsBy.get(one) ?? 0) > (cellsBy.get(best) ?? 0) ? one : best));
}

function scoreOf(sample: string, delimiter: string): number {
  const counts = new Map<number, number>();
  for (const { length } of recordsOf(sample, delimiter)) {
    if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  return Math.max(0, ...[...counts].map(([cells, records]) => (cells - 1) * records));
}

/** The first records; those before an error if there is one. */
function recordsOf(sample: string, delimiter: string): string[][] {
  const records: string[][] = [];
  try {
    parse(sample, {
      delimiter,
      to: SAMPLE_RECORDS,
      relax_column_count: true,
      relax_quotes: true,
      skip_records_with_empty_values: true,
      on_record: (record: string[]) => {
        records.push(record);
        return null;
      },
    });
  } catch {}
  return records;
}
