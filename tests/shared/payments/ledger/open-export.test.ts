// An export that cannot be completed is aborted, and its resources are released.
import { expect, test, vi } from 'vitest';
import { exportHeaders, openExport } from '../../../../shared/payments/ledger/exports/open-export.ts';
import type { Context } from '../../../../shared/platform/access/context.ts';

const options = { format: 'csv', locale: 'en', currency: 'BRL', conditions: [], fileName: 'x.csv' } as const;

/** A tenant whose ledger has these entries, of which only this many pages can be read. */
function contextWith(ids: string[], claimed = true) {
  const writes: string[] = [];
  const entry = (id: string) => ({
    entry: { id, type: 'adjustment', amount: 1, fee: 0, net: 1, currency: 'BRL', available_on: '2026-01-01' },
    local_time: '2026-01-01T00:00:00',
    offset_minutes: -180,
  });
  const read = vi
    .fn()
    .mockResolvedValueOnce(ids.slice(0, 1000).map(entry))
    .mockRejectedValue(new Error('the database is gone'));
  const plan = {
    claimed,
    time_zone: 'America/Sao_Paulo',
    slug: 'acme',
    now: '2026-01-01',
    ids,
    balance: null,
  };
  const checkpoint = vi.fn(async () => {
    writes.push('write');
    return [plan];
  });
  const log = { error: vi.fn() };
  return { context: { tenantId: 't', read, checkpoint, log } as unknown as Context, checkpoint, log, read };
}

const ids = (count: number) => Array.from({ length: count }, (_, n) => `btxn_${n}`);

test('if the second page cannot be read, the stream fails instead of ending', async () => {
  const { context, checkpoint, log } = contextWith(ids(1500));
  const reader = (await openExport(context, { ...options, conditions: [] })).getReader();
  const chunks = [await reader.read(), await reader.read()];
  expect(chunks.every(({ done }) => !done)).toBe(true);
  await expect(reader.read()).rejects.toThrow('the database is gone');
  expect(log.error).toHaveBeenCalledWith('ledger export aborted', expect.anything());
  await vi.waitFor(() => expect(checkpoint).toHaveBeenCalledTimes(2));
});

test('too many entries are reported before anything is sent, and the export is released', async () => {
  const { context, checkpoint, read } = contextWith(ids(100_001));
  await expect(openExport(context, { ...options, conditions: [] })).rejects.toMatchObject({
    code: 'validation',
    details: [{ field: 'period', message: expect.stringContaining('100000') }],
  });
  expect(checkpoint).toHaveBeenCalledTimes(2);
  expect(read).not.toHaveBeenCalled();
  expect(exportHeaders({ ...options, conditions: [] })['Content-Type']).toContain('text/csv');
});

test('pages are read as fast as the caller reads the stream', async () => {
  const { context, read } = contextWith(ids(5000));
  const stream = await openExport(context, { ...options, conditions: [] });
  await new Promise((resolve) => setImmediate(resolve));
  expect(read.mock.calls.length).toBeLessThanOrEqual(1);
  await stream.cancel();
});
