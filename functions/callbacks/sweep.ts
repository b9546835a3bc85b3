// POST /sweep: a QStash schedule or the database calls it once a minute. The database also calls it when SQL has created jobs.
import type { Context } from 'hono';
import { constantTimeEqual } from '../../shared/platform/crypto.ts';
import type { Sql, Work } from '../../shared/platform/db/database.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import { sweep } from '../../shared/platform/jobs/sweep.ts';
import { SWEEP_PATH } from '../../shared/platform/jobs/sweep-schedule.ts';
import { readVerifiedBody } from '../../shared/platform/jobs/verify-qstash.ts';
import type { RequestVariables } from '../../shared/platform/request/request-context.ts';
import type { CallbacksEnv, Dependencies } from './app.ts';

export function addSweep(
  app: App,
  dependencies: Dependencies,
  scheduleUnfinished: (sql: Sql) => Work,
  { SWEEP_TOKEN: token, SWEEP_MAX_JOBS: maxJobs }: Pick<CallbacksEnv, 'SWEEP_TOKEN' | 'SWEEP_MAX_JOBS'>,
): void {
  addRoute(app, 'post', SWEEP_PATH, async (c) => {
    if (!isCallFromDatabase(c, token)) await readVerifiedBody(c, SWEEP_PATH, dependencies);
    const { database, queue } = dependencies;
    return c.json({
      announced: await sweep({ database, queue, log: c.get('log') }, { scheduleUnfinished, maxJobs }),
    });
  });
}

function isCallFromDatabase(c: Context<{ Variables: RequestVariables }>, token: string | undefined): boolean {
  const sent = c.req.header('authorization');
  if (!token || !sent || !constantTimeEqual(sent, `Bearer ${token}`)) return false;
  c.get('requestContext').trusted = true;
  return true;
}
