import { expect, test } from 'vitest';
import { MAX_LONG_POLLS, startLongPoll } from '../../../../shared/webhooks/feed/long-polls.ts';

test('waiting requests of a feed share a poll, other feeds have their own', async () => {
  const tenantId = crypto.randomUUID();
  let looks = 0;
  const look = async () => ++looks;
  const [first, second] = [
    startLongPoll({ tenantId, interface: 'records' }),
    startLongPoll({ tenantId, interface: 'records' }),
  ];
  const other = startLongPoll({ tenantId, interface: 'payments' });
  expect(await Promise.all([first, second, first].map((one) => one.lastPosition(look)))).toEqual([1, 1, 1]);
  expect(await other.lastPosition(look)).toBe(2);
  for (const one of [first, second, other]) one.end();
});

test('the number of waiting requests is limited', () => {
  const feed = { tenantId: crypto.randomUUID(), interface: 'records' } as const;
  const all = Array.from({ length: MAX_LONG_POLLS }, () => startLongPoll(feed));
  expect(() => startLongPoll(feed)).toThrow(`limit ${MAX_LONG_POLLS}`);
  all[0]?.end();
  all.push(startLongPoll(feed));
  for (const one of all.slice(1)) one.end();
});
