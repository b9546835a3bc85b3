// The least that a function with a database can be, for comparing how long functions take to start.
import process from 'node:process';
import { Hono } from 'hono';
import postgres from 'postgres';

const sql = postgres(process.env.SUPABASE_DB_URL ?? '');

export const app = new Hono();

app.get('/boot/health', async (c) => {
  await sql`select app.environment()`;
  return c.json({ status: 'ok' });
});
