// POST /sweep: called by a QStash schedule once a minute.
import type { Fragment, Sql } from '../../shared/platform/db/database.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { SWEEP_PATH, sweep } from '../../shared/platform/jobs/sweep.ts';
import { type Dependencies, verifiedBody } from './dependencies.ts';

export function addSweep(
  app: App,
  dependencies: Dependencies,
  scheduleUnfinished: (sql: Sql) => Fragment[],
): void {
  app.post(SWEEP_PATH, async (c) => {
    await verifiedBody(c, SWEEP_PATH, dependencies);
    const { database, queue } = dependencies;
    return c.json({ announced: await sweep({ database, queue, log: c.get('log') }, scheduleUnfinished) });
  });
  refuseOtherMethods(app, SWEEP_PATH, ['POST']);
}
