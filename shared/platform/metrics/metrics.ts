// Metrics in the format of Prometheus. Counters are summed by the sweep, because a scrape reaches one worker of many.

import { cacheResult } from '../cached-result.ts';
import { type Database, WORKER_SESSION } from '../db/database.ts';
import { databaseUnreachable } from '../db/unavailable.ts';
import { errorFields, type Logger } from '../logger.ts';
import { VERSION } from '../version.ts';
import { orTimeout } from '../waits.ts';
import { METRICS } from './catalog.ts';
import { rollUpMinutes, type Sample, selectSamples, setStatementTimeout } from './queries.ts';
import { formatSamples } from './text-format.ts';

export interface MetricsOptions {
  database: Database;
  log: Logger;
}

const HOLD_MS = 10_000;
const DATABASE_MS = 2000;
const MAX_SERIES = 2000;

/**
 * Returns a function that returns all metrics as text. The text is kept for ten seconds. Throws 503 if the database does not return them
 * within two seconds.
 */
export function createMetrics({ database, log }: MetricsOptions): () => Promise<string> {
  const read = async (): Promise<string> => {
    const work = database.transaction({ ...WORKER_SESSION, reads: true }, (sql) => ({
      limit: setStatementTimeout(sql, DATABASE_MS),
      samples: selectSamples(sql),
    }));
    const slow = () => databaseUnreachable(new Error(`no metrics within ${DATABASE_MS} ms`), 'none');
    const { samples } = await orTimeout(work, DATABASE_MS, slow);
    const build: Sample = { metric: 'placar_build_info', labels: { version: VERSION }, value: 1 };
    const { text, omitted } = formatSamples(METRICS, [build, ...samples], MAX_SERIES);
    if (omitted > 0) log.warn('metrics omitted', { series: omitted });
    return text;
  };
  const cached = cacheResult(read, HOLD_MS);
  return async () => (await cached()).value;
}

/** Adds minutes that have ended to the counters. Never throws, because the next sweep does the same. */
export async function sumMetrics(database: Database, log: Logger): Promise<void> {
  try {
    await database.transaction(WORKER_SESSION, (sql) => rollUpMinutes(sql));
  } catch (error) {
    log.warn('metrics not summed', errorFields(error));
  }
}
