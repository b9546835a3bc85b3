// Runs due jobs immediately instead of waiting for the next scheduled sweep.
import { SWEEP_PATH } from '../../shared/platform/jobs/sweep-schedule.ts';
import type { ConsoleOptions } from './view.ts';

export async function announceJobs({ url, sweepToken }: ConsoleOptions): Promise<void> {
  const answer = await fetch(`${url}/functions/v1${SWEEP_PATH}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sweepToken}` },
  });
  await answer.body?.cancel();
}
