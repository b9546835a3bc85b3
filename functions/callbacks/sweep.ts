// POST /sweep: called by a QStash schedule once a minute.
import { type App, refuseOtherMethods } from '../../shared/http/app.ts';
import { SWEEP_PATH, sweep } from '../../shared/jobs/sweep.ts';
import { type Tools, verifiedBody } from './tools.ts';

export function addSweep(app: App, tools: Tools): void {
  app.post(SWEEP_PATH, async (c) => {
    await verifiedBody(c, SWEEP_PATH, tools);
    const log = tools.log.with({ request_id: c.get('call').requestId });
    return c.json({ announced: await sweep(tools.database, tools.queue, log) });
  });
  refuseOtherMethods(app, SWEEP_PATH, ['POST']);
}
