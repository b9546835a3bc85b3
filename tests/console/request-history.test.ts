// The overview counts more requests than one page of the log has.
import { expect, test } from 'vitest';
import type { PageApi } from '../../clients/console/api/page-api.ts';
import { RequestHistory } from '../../clients/console/api/request-history.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const PAGE = 200;

/** A log with one request in each minute before the time. */
function logAt(now: number, count: number, calls: number): PageApi {
  let left = calls;
  return {
    get left() {
      return left;
    },
    async rows(_path: string, { after = 0 }: { after?: string | number }) {
      left -= 1;
      const first = after === 0 ? now : Number(after);
      const all = Array.from({ length: count }, (_, index) => NOW - index * 60_000);
      const newer = Array.from({ length: (now - NOW) / 60_000 }, (_, index) => now - index * 60_000);
      const times = [...newer, ...all].filter((at) => at <= first);
      const rows = times
        .slice(0, PAGE)
        .map((at) => ({ request_id: String(at), at: new Date(at).toISOString() }));
      return { rows, next: times.length > PAGE ? String(times[PAGE]) : undefined };
    },
  } as unknown as PageApi;
}

test('each read adds newer and older requests, without gaps and duplicates', async () => {
  const history = new RequestHistory();
  const read = async (minutes: number, calls: number) => {
    const now = NOW + minutes * 60_000;
    const { rows, isComplete } = await history.read(logAt(now, 700, calls), new Date(now));
    expect(new Set(rows.map(({ at }) => at)).size).toBe(rows.length);
    return [rows.length, isComplete];
  };
  expect(await read(0, 1)).toEqual([200, false]);
  expect(await read(5, 2)).toEqual([405, false]);
  expect(await read(10, 3)).toEqual([710, true]);
  // More than a page since the last read.
  expect(await read(500, 1)).toEqual([200, false]);
});
