import { expect, test } from 'vitest';
import { measureShare, waitFor } from '../../support/wait-for.ts';

test('the first defined result ends the wait', async () => {
  const answers = [undefined, null, false, 0];
  expect(await waitFor(() => answers.shift())).toBe(0);
});

test('a probe that throws is called again, and its last error is reported', async () => {
  let times = 0;
  const failing = waitFor(
    () => {
      throw new Error(`no. ${++times}`);
    },
    { limitMs: 100 },
  );
  const error: unknown = await failing.catch((reason) => reason);
  expect(times).toBeGreaterThan(1);
  expect(error).toMatchObject({ message: expect.stringContaining('did not come true') });
  expect((error as Error).cause).toMatchObject({ message: `no. ${times}` });
});

test('a limit is never shorter than on an idle machine', async () => {
  const startedAt = performance.now();
  await expect(waitFor(() => false, { limitMs: 1500 })).rejects.toThrow('did not come true');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1500);
});

test('the measured share of a core is between 0 and 1', () => {
  const share = measureShare();
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThanOrEqual(1);
});
