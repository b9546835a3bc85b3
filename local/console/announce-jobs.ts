// Has due jobs done at once, instead of at the next sweep of the schedule.
import { SWEEP_PATH } from '../../shared/platform/jobs/sweep-schedule.ts';
import type { ConsoleOptions } from './view.ts';

export async function announceJobs({ url, sweepToken }: ConsoleOptions): Promise<void> {
  const answer = await fetch(`${url}/functions/v1${SWEEP_PATH}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sweepToken}` },
  });
  await answer.body?.cancel();
}
