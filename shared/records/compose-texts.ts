// Puts texts that were stored in several Unicode forms into one. A migration creates the job once.
import { z } from 'zod';
import { oneRow, type Sql, type Statement, WORKER_SESSION } from '../platform/db/database.ts';
import { defineJob } from '../platform/jobs/job.ts';

const STEP = 500;
const STEPS_PER_RUN = 20;

export const composeStoredTextsJob = defineJob({
  name: 'compose-stored-texts',
  payload: z.object({}),
  leaseSeconds: 120,
  async run(_payload, _job, { database }) {
    // Silent: the texts look the same as before, so nobody earns anything and no automation runs.
    const session = { ...WORKER_SESSION, silent: true };
    for (let step = 0; step < STEPS_PER_RUN; step++) {
      const { composed } = oneRow(await database.transaction(session, (sql) => composeTexts(sql, STEP)));
      if (composed === 0) return 'done';
    }
    return { retryInSeconds: 1 };
  },
});

const composeTexts = (sql: Sql, atMost: number): Statement<{ composed: number }> =>
  sql`select app.compose_stored_texts(${atMost}) as composed`;
