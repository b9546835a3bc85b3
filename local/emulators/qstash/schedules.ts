/** Schedules publish a message on each run of a cron expression. */
import { randomUUID } from 'node:crypto';
import { CronExpressionParser } from 'cron-parser';
import type { Clock } from './clock.ts';
import type { Publication, Schedule } from './message.ts';
import { BadRequest } from './publication.ts';
import type { Queue } from './queue.ts';
import type { Store } from './store.ts';

/** Callers must flush the store before they respond. */
export interface Schedules {
  /**
   * Creates a schedule, or replaces the one with the same id.
   *
   * @param cron five fields, in UTC
   * @throws BadRequest if the cron expression is invalid
   */
  set(publication: Publication, cron: string | undefined, scheduleId?: string): Schedule;
  close(): void;
}

export function createSchedules(store: Store, clock: Clock, queue: Queue): Schedules {
  const schedules = store.all('schedules');
  const cancelTimers = new Map<string, () => void>();

  function arm(schedule: Schedule): void {
    cancelTimers.get(schedule.scheduleId)?.();
    cancelTimers.set(
      schedule.scheduleId,
      clock.at(schedule.nextRunAtMs, () => run(schedule)),
    );
  }

  function save(schedule: Schedule): Schedule {
    store.put('schedules', schedule.scheduleId, schedule);
    arm(schedule);
    return schedule;
  }

  // Several runs missed while the emulator was down result in a single one.
  function run(schedule: Schedule): void {
    const nowMs = clock.now();
    queue.enqueue(schedule.publication, schedule.scheduleId);
    save({ ...schedule, nextRunAtMs: nextRun(schedule.cron, Math.max(nowMs, schedule.nextRunAtMs)) });
  }

  for (const schedule of schedules.values()) arm(schedule);

  return {
    set(publication, cron, scheduleId = `scd_${randomUUID().replaceAll('-', '')}`) {
      if (cron === undefined) throw new BadRequest('Upstash-Cron is required');
      const known = schedules.get(scheduleId);
      const nowMs = clock.now();
      return save({
        scheduleId,
        cron,
        publication,
        createdAtMs: known?.createdAtMs ?? nowMs,
        // Stacks register their schedules on each start, which must not delay a due run.
        nextRunAtMs: known?.cron === cron ? known.nextRunAtMs : nextRun(cron, nowMs),
      });
    },
    close() {
      for (const cancelTimer of cancelTimers.values()) cancelTimer();
    },
  };
}

function nextRun(cron: string, afterMs: number): number {
  const fields = cron.trim();
  if (fields.split(/\s+/).length !== 5) {
    throw new BadRequest('invalid cron expression: it must have five fields');
  }
  try {
    return CronExpressionParser.parse(fields, { tz: 'UTC', currentDate: new Date(afterMs) })
      .next()
      .getTime();
  } catch (error) {
    throw new BadRequest(
      `invalid cron expression: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
