import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';

// A disk that is as slow as the test wants it.
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, rename: vi.fn(real.rename) };
});

// Afresh, so that it gets the slow disk whichever file loaded it before.
vi.resetModules();
const { rename } = await import('node:fs/promises');
const { openStoredState } = await import('../../../local/providers/stored-state.ts');

const dir = mkdtempSync(join(tmpdir(), 'placar-stored-state-'));
const file = join(dir, 'state.json');
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

test('during a write no other write begins, regardless of the number of changes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let written = 0;
  const state = {
    count: 0,
    toJSON() {
      written += 1;
      return { count: this.count };
    },
  };
  let release = () => {};
  vi.mocked(rename).mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  );
  const kept = await openStoredState(file, state);
  for (let change = 1; change <= 50; change++) {
    state.count = change;
    kept.changed();
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(written).toBe(1);
  await vi.waitFor(() => expect(vi.mocked(rename)).toHaveBeenCalledOnce());
  release();
  // Then later changes follow.
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(60_000);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ count: 50 });
  });
  state.count = 51;
  await kept.close();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ count: 51 });
});
