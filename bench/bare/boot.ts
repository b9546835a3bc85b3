// A minimal function with a database connection, as the baseline for startup times.
import process from 'node:process';
import { Hono } from 'hono';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.SUPABASE_DB_URL });

export const app = new Hono();

app.get('/boot/health', async (c) => {
  await pool.query('select 1');
  return c.json({ status: 'ok' });
});
