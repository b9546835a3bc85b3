// Sweeps in tests. A sweep finds the jobs of all tests, so its results must be published: nobody finds them again for a minute.

import { Client } from '@upstash/qstash';
import { inject } from 'vitest';
import type { Sql, Work } from '../../shared/platform/db/database.ts';
import type { JobMessage } from '../../shared/platform/jobs/publish.ts';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { sweep } from '../../shared/platform/jobs/sweep.ts';
import { SWEEP_PATH } from '../../shared/platform/jobs/sweep-schedule.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { openDatabase } from './database.ts';

/** Calls the sweep as the schedule does. */
export async function sweepNow(): Promise<void> {
  const { QSTASH_URL = '', QSTASH_TOKEN = '', FUNCTIONS_URL } = inject('env');
  const client = new Client({ baseUrl: QSTASH_URL, token: QSTASH_TOKEN, devMode: false });
  await client.publishJSON({ url: `${FUNCTIONS_URL}${SWEEP_PATH}`, body: {} });
}

interface SweepOptions {
  /** Creates jobs for unfinished work. */
  schedule?: (sql: Sql) => Work;
  /** Jobs that the sweep finds but does not publish to the stack's QStash. */
  keeps?: (job: JobMessage) => boolean;
}

/** Runs a sweep to its end. Returns what it found. */
export async function sweepHere({
  schedule = () => [],
  keeps = () => false,
}: SweepOptions = {}): Promise<JobMessage[]> {
  const { QSTASH_URL = '', QSTASH_TOKEN = '', FUNCTIONS_URL = '' } = inject('env');
  const database = openDatabase();
  const queue = createQueue({ QSTASH_URL, QSTASH_TOKEN, FUNCTIONS_URL });
  const found: JobMessage[] = [];
  const publish: typeof queue.publish = async (jobs, log) => {
    found.push(...jobs);
    return await queue.publish(
      jobs.filter((job) => !keeps(job)),
      log,
    );
  };
  await sweep(
    { database, queue: { ...queue, publish }, log: silentLogger },
    { scheduleUnfinished: schedule, maxJobs: 20_000 },
  );
  return found;
}
