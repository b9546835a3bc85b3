// The clock of the provider emulators: real time, shifted time and a frozen clock.
import { expect, test } from 'vitest';
import { calendarOf } from '../../../local/providers/days.ts';
import {
  createJobScheduler,
  type JobScheduler,
  newJobSchedulerState,
} from '../../../local/providers/job-scheduler.ts';
import { waitFor } from '../../support/wait-for.ts';

const HOUR_MS = 60 * 60_000;

function startScheduler(state = newJobSchedulerState()): { scheduler: JobScheduler; ran: string[] } {
  const ran: string[] = [];
  const scheduler = createJobScheduler(state, () => {});
  scheduler.on('note', ({ text = '' }) => {
    ran.push(`${text} at ${scheduler.now()}`);
  });
  scheduler.start();
  return { scheduler, ran };
}

test('runs due tasks in real time', async () => {
  const { scheduler, ran } = startScheduler();
  scheduler.schedule('note', scheduler.now() + 20, { text: 'soon' });
  scheduler.schedule('note', scheduler.now() + HOUR_MS, { text: 'late' });
  await waitFor(() => ran.length > 0);
  expect(ran).toHaveLength(1);
  await scheduler.stop();
});

test('runs due tasks in order, each at its own time, including tasks that they plan', async () => {
  const { scheduler, ran } = startScheduler();
  scheduler.setFrozen(true);
  const start = scheduler.now();
  scheduler.schedule('note', start + 3 * HOUR_MS, { text: 'third' });
  scheduler.schedule('note', start + HOUR_MS, { text: 'first' });
  scheduler.on('plan', () => {
    scheduler.schedule('note', scheduler.now() + HOUR_MS / 2, { text: 'planned' });
  });
  scheduler.schedule('plan', start + HOUR_MS, {});
  const canceled = scheduler.schedule('note', start + 2 * HOUR_MS, { text: 'canceled' });
  scheduler.cancel(canceled);
  await scheduler.advanceTo(start + 4 * HOUR_MS);
  expect(ran).toEqual([
    `first at ${start + HOUR_MS}`,
    `planned at ${start + 1.5 * HOUR_MS}`,
    `third at ${start + 3 * HOUR_MS}`,
  ]);
  expect(scheduler.now()).toBe(start + 4 * HOUR_MS);
  await scheduler.stop();
});

test('waits for slow tasks before it continues', async () => {
  const { scheduler } = startScheduler();
  scheduler.setFrozen(true);
  const order: string[] = [];
  scheduler.on('slow', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('slow');
  });
  scheduler.on('quick', () => void order.push('quick'));
  scheduler.schedule('slow', scheduler.now() + 1, {});
  scheduler.schedule('quick', scheduler.now() + 2, {});
  await scheduler.advanceTo(scheduler.now() + 10);
  expect(order).toEqual(['slow', 'quick']);
  await scheduler.stop();
});

test('never goes back, and continues in real time when the clock is released', async () => {
  const { scheduler } = startScheduler();
  scheduler.setFrozen(true);
  const start = scheduler.now();
  await scheduler.advanceTo(start + HOUR_MS);
  await scheduler.advanceTo(start);
  expect(scheduler.now()).toBe(start + HOUR_MS);
  scheduler.setFrozen(false);
  await waitFor(() => scheduler.now() > start + HOUR_MS);
  await scheduler.stop();
});

test('keeps the clock and planned tasks across a restart', async () => {
  const state = newJobSchedulerState();
  const first = startScheduler(state);
  first.scheduler.setFrozen(true);
  const start = first.scheduler.now();
  await first.scheduler.advanceTo(start + HOUR_MS);
  first.scheduler.schedule('note', start + 2 * HOUR_MS, { text: 'kept' });
  await first.scheduler.stop();
  const second = startScheduler(structuredClone(state));
  expect(second.scheduler.now()).toBe(start + HOUR_MS);
  await second.scheduler.advanceTo(start + 3 * HOUR_MS);
  expect(second.ran).toEqual([`kept at ${start + 2 * HOUR_MS}`]);
  await second.scheduler.stop();
});

test('knows when a day begins in São Paulo', () => {
  const calendar = calendarOf('America/Sao_Paulo');
  expect(new Date(calendar.startOf('2026-11-21')).toISOString()).toBe('2026-11-21T03:00:00.000Z');
  expect(calendar.dayAt(Date.parse('2026-11-22T02:59:59Z'))).toBe('2026-11-21');
  expect(calendar.dateTimeAt(Date.parse('2026-11-22T02:59:59Z'))).toBe('2026-11-21 23:59:59');
});
