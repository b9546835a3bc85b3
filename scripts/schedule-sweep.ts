// Creates the QStash schedule that calls the sweep.
import { Client } from '@upstash/qstash';
import { SWEEP_CRON, SWEEP_PATH, SWEEP_SCHEDULE_ID } from '../shared/platform/jobs/sweep-schedule.ts';

interface ScheduleOptions {
  qstashUrl: string;
  token: string;
  /** Public base URL of the functions. */
  functionsUrl: string;
}

/** Creates or updates the schedule, which has a fixed id. */
export async function scheduleSweep({ qstashUrl, token, functionsUrl }: ScheduleOptions): Promise<void> {
  const client = new Client({ baseUrl: qstashUrl, token, devMode: false, enableTelemetry: false });
  await client.schedules.create({
    scheduleId: SWEEP_SCHEDULE_ID,
    destination: `${functionsUrl}${SWEEP_PATH}`,
    cron: SWEEP_CRON,
    retries: 0,
  });
}
