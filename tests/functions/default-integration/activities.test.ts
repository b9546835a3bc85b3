import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import {
  activity,
  collaborator,
  sync,
  syncActivities,
  syncCollaborators,
} from '../../support/gamification/sync.ts';

const sql = connectDatabase();

async function tenantWith(...names: string[]) {
  const tenant = await createTenant(sql);
  await syncCollaborators(
    tenant.apiKey,
    names.map((name) => collaborator(name)),
  );
  return tenant;
}

const count = async (tenantId: string) => {
  const [row] = await sql`select count(*)::integer as n from activities where tenant_id = ${tenantId}`;
  return row?.n as number;
};

describe('sync_activities', () => {
  test('records, skips and counts duplicates', async () => {
    const { id, apiKey } = await tenantWith('ana');
    const reply = await syncActivities(apiKey, [
      activity('1', 'ana@example.com'),
      activity('2', ' ANA@example.com'),
      activity('1', 'ana@example.com'),
      activity('3', 'nobody@example.com'),
      activity('3', 'nobody@example.com'),
    ]);
    expect(reply.status).toBe(200);
    const reason = 'collaborator_not_registered';
    expect(reply.body.data).toEqual({
      processed: 2,
      skipped: 2,
      skipped_items: [3, 4].map((index) => ({ index, external_id: '3', reason })),
      duplicates: 1,
      duplicate_items: [],
      unmapped: 2,
      errors: [],
      total: 5,
    });
    const again = await syncActivities(apiKey, [activity('1', 'ana@example.com')]);
    expect(again.body.data).toEqual({
      processed: 0,
      skipped: 0,
      skipped_items: [],
      duplicates: 1,
      duplicate_items: [],
      unmapped: 0,
      errors: [],
      total: 1,
    });
    expect(await count(id)).toBe(2);
  });

  test('names duplicates that say something else, and counts codes without a mission', async () => {
    const { id, apiKey } = await tenantWith('ana');
    await syncCollaborators(apiKey, [collaborator('bia')]);
    await sql`select admin.map_activity_code(${id}, '002', admin.create_mission(${id}, 'Meeting', 5))`;
    const call = { data: { minutes: 3 }, occurred_at: '2026-11-20T10:00:00Z' };
    const meeting = { ...call, activity_code: '002' };
    const first = await syncActivities(apiKey, [
      activity('1', 'ana@example.com', call),
      activity('2', 'ana@example.com', meeting),
      activity('2', 'ana@example.com', call),
      activity('2', 'ana@example.com', { ...meeting, occurred_at: null }),
    ]);
    expect(first.body.data).toMatchObject({
      processed: 2,
      duplicates: 2,
      duplicate_items: [{ index: 2, external_id: '2', reason: 'content_differs' }],
      unmapped: 1,
    });
    const again = await syncActivities(apiKey, [
      activity('1', 'ana@example.com', call),
      activity('1', 'ana@example.com', meeting),
      activity('1', 'bia@example.com', call),
      activity('1', 'ana@example.com', { ...call, data: { minutes: 4 } }),
      activity('1', 'ana@example.com', { ...call, occurred_at: '2026-11-20T10:00:01Z' }),
      activity('1', 'ana@example.com', { data: call.data }),
    ]);
    expect(again.body.data).toMatchObject({
      processed: 0,
      duplicates: 6,
      duplicate_items: [1, 2, 3, 4].map((index) => ({ index, external_id: '1', reason: 'content_differs' })),
      unmapped: 0,
    });
  });

  test('a skipped activity can be sent again once its collaborator exists', async () => {
    const { apiKey } = await tenantWith('ana');
    const late = activity('late', 'bia@example.com');
    expect((await syncActivities(apiKey, [late])).body.data).toMatchObject({ processed: 0, skipped: 1 });
    await syncCollaborators(apiKey, [collaborator('bia')]);
    expect((await syncActivities(apiKey, [late])).body.data).toMatchObject({ processed: 1, skipped: 0 });
  });

  test('skips an unregistered email even if the external_id is known or appears later in the batch', async () => {
    const { apiKey } = await tenantWith('ana');
    await syncActivities(apiKey, [activity('known', 'ana@example.com')]);
    const reply = await syncActivities(apiKey, [
      activity('known', 'nobody@example.com'),
      activity('both', 'nobody@example.com'),
      activity('both', 'ana@example.com'),
    ]);
    expect(reply.body.data).toMatchObject({ processed: 1, skipped: 2, duplicates: 0, errors: [], total: 3 });
  });

  test('external_id is unique per tenant, not across tenants', async () => {
    const one = await tenantWith('ana');
    const two = await tenantWith('ana');
    for (const { apiKey } of [one, two]) {
      const reply = await syncActivities(apiKey, [activity('same', 'ana@example.com')]);
      expect(reply.body.data.processed).toBe(1);
    }
  });

  test('stores data and the timestamp, which defaults to the time of receipt', async () => {
    const { id, apiKey } = await tenantWith('ana');
    const data = { text: 'Olá', list: [1, 2.5, null], __proto__: undefined, nested: { ok: true } };
    await syncActivities(apiKey, [
      activity('a', 'ana@example.com', {
        occurred_at: '2026-01-31T23:30:00.123456-03:00',
        data,
        activity_code: '999',
      }),
      activity('b', 'ana@example.com', { occurred_at: '2024-02-29T12:00:00+23:59', data: null }),
      activity('c', 'ana@example.com', { occurred_at: null }),
    ]);
    const rows = await sql`
      select external_id, activity_code, data, to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at,
             now() - occurred_at < interval '1 minute' as recent
      from activities where tenant_id = ${id} order by external_id`;
    expect(rows[0]).toMatchObject({ activity_code: '999', data, at: '2026-02-01T02:30:00.123456' });
    expect(rows[1]).toMatchObject({ data: null, at: '2024-02-28T12:01:00.000000' });
    expect(rows[2]).toMatchObject({ recent: true });
  });

  test('any invalid activity rejects the whole request, with every error named', async () => {
    const { id, apiKey } = await tenantWith('ana');
    const reply = await syncActivities(apiKey, [
      activity('ok', 'ana@example.com'),
      activity('1', 'ana@example.com', { activity_code: '12' }),
      activity('2', 'ana@example.com', { activity_code: '000' }),
      activity('3', 'not-an-address', { activity_code: 7 }),
      { activity_code: '001' },
      activity('', 'ana@example.com', { data: 'text' }),
      [],
      activity('x'.repeat(256), 'ana@example.com', { data: { 'lone \ud800': 1 } }),
    ]);
    expect(reply.status).toBe(400);
    expect(reply.body.error.code).toBe('VALIDATION_ERROR');
    const code = 'must be exactly 3 digits, 001 through 999';
    expect(reply.body.error.details).toEqual([
      { index: 1, field: 'activity_code', message: code },
      { index: 2, field: 'activity_code', message: code },
      { index: 3, field: 'activity_code', message: 'must be a string' },
      { index: 3, field: 'collaborator_email', message: 'must be a valid email address' },
      { index: 4, field: 'external_id', message: 'is required' },
      { index: 4, field: 'collaborator_email', message: 'is required' },
      { index: 5, field: 'external_id', message: 'must not be empty' },
      { index: 5, field: 'data', message: 'must be an object' },
      { index: 6, field: 'activities', message: 'must be an object' },
      { index: 7, field: 'external_id', message: 'must have at most 255 characters' },
      { index: 7, field: 'data', message: 'must be well-formed Unicode, without lone surrogates' },
    ]);
    expect(await count(id)).toBe(0);
  });

  test.each([
    ['2026-01-01', 'no time'],
    ['2026-01-01T10Z', 'no minutes'],
    ['2026-01-01T10:00:00', 'no offset'],
    ['2026-02-30T10:00:00Z', 'no such day'],
    ['2025-02-29T10:00:00Z', 'no leap year'],
    ['2026-01-01T24:00:00Z', 'hour 24'],
    ['2026-01-01T10:00:00+24:00', 'offset of a day'],
    ['0000-01-01T00:00:00Z', 'year 0'],
    ['0001-01-01T00:00:00+00:01', 'before year 1'],
    ['9999-12-31T23:59:59-00:01', 'after year 9999'],
    ['2026-01-01T10:00:00 03:00', 'no sign'],
    ['tomorrow', 'no date'],
    ['', 'empty'],
  ])('rejects occurred_at %s (%s)', async (occurredAt) => {
    const { apiKey } = await tenantWith('ana');
    const reply = await syncActivities(apiKey, [
      activity('1', 'ana@example.com', { occurred_at: occurredAt }),
    ]);
    expect(reply.status).toBe(400);
    expect(reply.body.error.details).toMatchObject([
      { index: 0, field: 'occurred_at', message: expect.stringContaining('2026-11-20T09:00:00-03:00') },
    ]);
  });

  test('rejects times that other systems write for none, and times in the future', async () => {
    const { apiKey } = await tenantWith('ana');
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const reply = await syncActivities(
      apiKey,
      [
        '0001-01-01T00:00:00Z',
        '1999-12-31T23:59:59Z',
        '2000-01-01T00:00:00Z',
        at(86_300_000),
        at(86_500_000),
      ].map((occurred_at, index) => activity(`${index}`, 'ana@example.com', { occurred_at })),
    );
    expect([reply.status, reply.body.error.details]).toEqual([
      400,
      [
        { index: 0, field: 'occurred_at', message: 'must not be before the year 2000' },
        { index: 1, field: 'occurred_at', message: 'must not be before the year 2000' },
        { index: 4, field: 'occurred_at', message: 'must not be more than a day in the future' },
      ],
    ]);
  });

  test('accepts 1000 at once and rejects 1001', async () => {
    const { id, apiKey } = await tenantWith('ana');
    const many = Array.from({ length: 1001 }, (_, i) => activity(`a${i}`, 'ana@example.com'));
    const full = await syncActivities(apiKey, many.slice(0, 1000));
    expect(full.body.data).toMatchObject({ processed: 1000, total: 1000 });
    const over = await syncActivities(apiKey, many);
    expect(over.status).toBe(400);
    expect(over.body.error.details).toEqual([
      { field: 'activities', message: 'must have at most 1000 items' },
    ]);
    expect(await count(id)).toBe(1000);
    const empty = await sync(apiKey, { action: 'sync_activities', activities: [] });
    expect(empty.body.data).toMatchObject({ processed: 0, skipped: 0, duplicates: 0, errors: [], total: 0 });
  });

  test('concurrent requests with one batch in any order count each activity once', async () => {
    const { id, apiKey } = await tenantWith('ana', 'bia');
    const [mission] = await sql`select admin.create_mission(${id}, 'Calls', 10) as id`;
    await sql`select admin.map_activity_code(${id}, '001', ${mission?.id})`;
    const batch = Array.from({ length: 200 }, (_, i) =>
      activity(`a${i}`, `${i % 2 ? 'ana' : 'bia'}@example.com`),
    );
    const orders = [batch, batch.toReversed(), batch.toSorted(() => Math.random() - 0.5)];
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => syncActivities(apiKey, orders[i % 3] ?? batch)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(replies.reduce((sum, { body }) => sum + body.data.processed, 0)).toBe(200);
    expect(replies.reduce((sum, { body }) => sum + body.data.duplicates, 0)).toBe(11 * 200);
    expect(await count(id)).toBe(200);
    const points = await sql`select points::integer from admin.standings where tenant_id = ${id}`;
    expect(points.map((row) => row.points)).toEqual([1000, 1000]);
  });
});
