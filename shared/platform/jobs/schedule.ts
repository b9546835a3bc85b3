// The QStash schedule that calls the sweep.
import { Client } from '@upstash/qstash';
import { SWEEP_CRON, SWEEP_PATH, SWEEP_SCHEDULE_ID } from './sweep-schedule.ts';

export interface ScheduleOptions {
  qstashUrl: string;
  token: string;
  /** Public address below which the functions answer. */
  functionsUrl: string;
}

/** Makes the schedule, or changes the one that is there: it has a fixed id. */
export async function scheduleSweep({ qstashUrl, token, functionsUrl }: ScheduleOptions): Promise<void> {
  const client = new Client({ baseUrl: qstashUrl, token, devMode: false, enableTelemetry: false });
  await client.schedules.create({
    scheduleId: SWEEP_SCHEDULE_ID,
    destination: `${functionsUrl}${SWEEP_PATH}`,
    cron: SWEEP_CRON,
    retries: 0,
  });
}
