// The clock of vendor emulators: real time, shifted time and stopped time.
import { expect, test } from 'vitest';
import { type Agenda, createAgenda, newAgendaState } from '../../../local/providers/agenda.ts';
import { calendarOf } from '../../../local/providers/days.ts';
import { waitFor } from '../../support/wait-for.ts';

const HOUR_MS = 60 * 60_000;

function startAgenda(state = newAgendaState()): { agenda: Agenda; ran: string[] } {
  const ran: string[] = [];
  const agenda = createAgenda(state, () => {});
  agenda.on('note', ({ text = '' }) => {
    ran.push(`${text} at ${agenda.now()}`);
  });
  agenda.start();
  return { agenda, ran };
}

test('runs due tasks in real time', async () => {
  const { agenda, ran } = startAgenda();
  agenda.plan('note', agenda.now() + 20, { text: 'soon' });
  agenda.plan('note', agenda.now() + HOUR_MS, { text: 'late' });
  await waitFor(() => ran.length > 0);
  expect(ran).toHaveLength(1);
  await agenda.stop();
});

test('runs due tasks in order, each at its own time, including tasks that they plan', async () => {
  const { agenda, ran } = startAgenda();
  agenda.stand(true);
  const start = agenda.now();
  agenda.plan('note', start + 3 * HOUR_MS, { text: 'third' });
  agenda.plan('note', start + HOUR_MS, { text: 'first' });
  agenda.on('plan', () => {
    agenda.plan('note', agenda.now() + HOUR_MS / 2, { text: 'planned' });
  });
  agenda.plan('plan', start + HOUR_MS, {});
  const canceled = agenda.plan('note', start + 2 * HOUR_MS, { text: 'canceled' });
  agenda.cancel(canceled);
  await agenda.advanceTo(start + 4 * HOUR_MS);
  expect(ran).toEqual([
    `first at ${start + HOUR_MS}`,
    `planned at ${start + 1.5 * HOUR_MS}`,
    `third at ${start + 3 * HOUR_MS}`,
  ]);
  expect(agenda.now()).toBe(start + 4 * HOUR_MS);
  await agenda.stop();
});

test('waits for slow tasks before it continues', async () => {
  const { agenda } = startAgenda();
  agenda.stand(true);
  const order: string[] = [];
  agenda.on('slow', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('slow');
  });
  agenda.on('quick', () => void order.push('quick'));
  agenda.plan('slow', agenda.now() + 1, {});
  agenda.plan('quick', agenda.now() + 2, {});
  await agenda.advanceTo(agenda.now() + 10);
  expect(order).toEqual(['slow', 'quick']);
  await agenda.stop();
});

test('never goes back, and continues in real time when the clock is released', async () => {
  const { agenda } = startAgenda();
  agenda.stand(true);
  const start = agenda.now();
  await agenda.advanceTo(start + HOUR_MS);
  await agenda.advanceTo(start);
  expect(agenda.now()).toBe(start + HOUR_MS);
  agenda.stand(false);
  await waitFor(() => agenda.now() > start + HOUR_MS);
  await agenda.stop();
});

test('keeps the clock and planned tasks across a restart', async () => {
  const state = newAgendaState();
  const first = startAgenda(state);
  first.agenda.stand(true);
  const start = first.agenda.now();
  await first.agenda.advanceTo(start + HOUR_MS);
  first.agenda.plan('note', start + 2 * HOUR_MS, { text: 'kept' });
  await first.agenda.stop();
  const second = startAgenda(structuredClone(state));
  expect(second.agenda.now()).toBe(start + HOUR_MS);
  await second.agenda.advanceTo(start + 3 * HOUR_MS);
  expect(second.ran).toEqual([`kept at ${start + 2 * HOUR_MS}`]);
  await second.agenda.stop();
});

test('knows when a day begins in São Paulo', () => {
  const calendar = calendarOf('America/Sao_Paulo');
  expect(new Date(calendar.startOf('2026-11-21')).toISOString()).toBe('2026-11-21T03:00:00.000Z');
  expect(calendar.dayAt(Date.parse('2026-11-22T02:59:59Z'))).toBe('2026-11-21');
  expect(calendar.dateTimeAt(Date.parse('2026-11-22T02:59:59Z'))).toBe('2026-11-21 23:59:59');
});
