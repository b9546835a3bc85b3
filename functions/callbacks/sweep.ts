// POST /sweep: called by a QStash schedule once a minute.
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { SWEEP_PATH, sweep } from '../../shared/platform/jobs/sweep.ts';
import { type Tools, verifiedBody } from './dependencies.ts';

export function addSweep(app: App, tools: Tools, orderUnfinished: (sql: Sql) => Statement[]): void {
  app.post(SWEEP_PATH, async (c) => {
    await verifiedBody(c, SWEEP_PATH, tools);
    const log = tools.log.with({ request_id: c.get('call').requestId });
    return c.json({ announced: await sweep({ ...tools, log }, orderUnfinished) });
  });
  refuseOtherMethods(app, SWEEP_PATH, ['POST']);
}
