// How few messages are enough for jobs of lanes, and for periodic jobs.
import { expect, test } from 'vitest';
import {
  createLaneMessages,
  type JobMessage,
  shareMessages,
} from '../../../../shared/platform/jobs/publish.ts';

const job = (id: string, more: Partial<JobMessage> = {}): JobMessage => ({
  id,
  name: 'deliver',
  lane: 'lane',
  ...more,
});

function start() {
  const clock = { nowMs: 5000 };
  const { choose, forget } = createLaneMessages(() => clock.nowMs);
  const chosen = (...jobs: JobMessage[]) =>
    choose(jobs).map(({ id, waitSeconds = 0 }) => `${id} in ${waitSeconds} s`);
  return { clock, chosen, forget };
}

test('due jobs of a lane share a message; others, and jobs without a lane, have their own', () => {
  const { chosen } = start();
  const thousand = Array.from({ length: 1000 }, (_, n) => job(`a${n}`));
  expect(chosen(...thousand, job('b', { lane: 'other' }), job('c', { name: 'other' }))).toEqual([
    'a0 in 0 s',
    'b in 0 s',
    'c in 0 s',
  ]);
  expect(chosen(job('d', { lane: null }), job('e', { lane: null }))).toEqual(['d in 0 s', 'e in 0 s']);
});

test('so do jobs that are due in the same second', () => {
  const { chosen } = start();
  expect(
    chosen(
      job('a', { waitSeconds: 60 }),
      job('b', { waitSeconds: 60 }),
      job('c', { waitSeconds: 300 }),
      job('d', { waitSeconds: 0 }),
    ),
  ).toEqual(['a in 60 s', 'c in 300 s', 'd in 0 s']);
});

test('in a burst the first message is sent immediately, then one a second, which covers newer jobs', () => {
  const { clock, chosen } = start();
  expect(chosen(job('a'))).toEqual(['a in 0 s']);
  clock.nowMs += 1;
  expect(chosen(job('b'))).toEqual(['b in 1 s']);
  clock.nowMs += 999;
  expect(chosen(job('c'))).toEqual([]);
  // The message for b may have arrived by now.
  clock.nowMs += 1;
  expect(chosen(job('d'))).toEqual(['d in 1 s']);
  clock.nowMs += 2000;
  expect(chosen(job('e'))).toEqual(['e in 0 s']);
});

test('retries of a burst share messages as well, and none is early', () => {
  const { clock, chosen } = start();
  const retry = (id: string) => chosen(job(id, { waitSeconds: 60 }));
  expect(retry('a')).toEqual(['a in 60 s']);
  clock.nowMs += 200;
  expect(retry('b')).toEqual(['b in 61 s']);
  clock.nowMs += 200;
  expect(retry('c')).toEqual([]);
  expect(chosen(job('d'))).toEqual(['d in 0 s']);
});

test('a message that could not be sent is forgotten: the next job gets a message', () => {
  const { chosen, forget } = start();
  chosen(job('a'));
  chosen(job('b'));
  expect(chosen(job('c'))).toEqual([]);
  forget([job('c')]);
  expect(chosen(job('d'))).toEqual(['d in 0 s']);
});

test('eight due checks of provider accounts share a message; a check that is due later has its own', () => {
  const checks = Array.from({ length: 20 }, (_, n) => job(`c${n}`, { name: 'check-provider', lane: null }));
  const later = job('later', { name: 'check-provider', lane: null, waitSeconds: 60 });
  const messages = shareMessages([...checks, later, job('mail', { name: 'send-mail', lane: null })]);
  expect(messages.map(({ id, others = [] }) => [id, others.length])).toEqual([
    ['c0', 7],
    ['c8', 7],
    ['c16', 3],
    ['later', 0],
    ['mail', 0],
  ]);
  expect(messages.flatMap(({ id, others = [] }) => [id, ...others])).toEqual([
    ...checks.map(({ id }) => id),
    'later',
    'mail',
  ]);
});
