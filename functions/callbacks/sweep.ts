// POST /sweep: called by a QStash schedule once a minute.
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { SWEEP_PATH, sweep } from '../../shared/platform/jobs/sweep.ts';
import { type Dependencies, verifiedBody } from './dependencies.ts';

export function addSweep(app: App, dependencies: Dependencies, orderUnfinished: (sql: Sql) => Statement[]): void {
  app.post(SWEEP_PATH, async (c) => {
    await verifiedBody(c, SWEEP_PATH, dependencies);
    const log = dependencies.log.with({ request_id: c.get('call').requestId });
    return c.json({ announced: await sweep({ ...dependencies, log }, orderUnfinished) });
  });
  refuseOtherMethods(app, SWEEP_PATH, ['POST']);
}
