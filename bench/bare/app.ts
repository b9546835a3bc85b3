// Baseline for Placar: the same work, written with only Hono and postgres.js. No validation, rate limits, timeouts, error
// mapping or logs.
import { createHash } from 'node:crypto';
import process from 'node:process';
import { Hono } from 'hono';
import postgres from 'postgres';
import type { Activity } from '../../shared/activity/activities.ts';
import { connectionOptions, enterTenant, findKey, record } from './work.ts';

interface SyncBody {
  activities: Activity[];
}

const sql = postgres(process.env.SUPABASE_DB_URL ?? '', connectionOptions);

export const app = new Hono();

app.get('/bare/health', async (c) => {
  await sql`select 1`;
  return c.json({ status: 'ok' });
});

app.post('/bare', async (c) => {
  const apiKey = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  const key = await findKey(sql, createHash('sha256').update(apiKey).digest('hex'));
  if (!key || key.revoked || key.expired) return c.json({ error: 'unauthorized' }, 401);
  const { activities } = await c.req.json<SyncBody>();
  const counts = await record(sql, key, activities);
  return c.json({ data: { ...counts, total: activities.length } });
});

app.get('/bare/invoices/:id', async (c) => {
  const apiKey = /^SVC-SIGN-V1 ([^:]+):/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  const key = await findKey(sql, createHash('sha256').update(apiKey).digest('hex'));
  if (!key || key.revoked || key.expired) return c.json({ error: 'unauthorized' }, 401);
  const [, rows] = await sql.begin((tx) => [
    enterTenant(tx, key.tenant_id),
    tx`
      select app.invoice_snapshot(i) as snapshot
      from public.invoices i where tenant_id = ${key.tenant_id} and id = ${c.req.param('id')}`,
  ]);
  return c.json(rows?.[0]?.snapshot);
});
