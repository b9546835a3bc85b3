// Baseline for records: lead handlers with only Hono, jose and postgres.js, under the same row-level security and with the
// same triggers. No revocation, rate limits, validation, log rows or variants.
import process from 'node:process';
import { type Context, Hono } from 'hono';
import { jwtVerify } from 'jose/jwt/verify';
import { importJWK } from 'jose/key/import';
import postgres from 'postgres';
import { connectionOptions, enterTenant } from './work.ts';

const sql = postgres(process.env.SUPABASE_DB_URL ?? '', connectionOptions);
const { d: _private, ...publicKey } = JSON.parse(process.env.OAUTH_SIGNING_KEY ?? '{}');
const key = await importJWK(publicKey, 'ES256');

export const app = new Hono();

async function tenantOf(c: Context): Promise<string> {
  const token = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  const { payload } = await jwtVerify(token, key, { algorithms: ['ES256'] });
  return String(payload.tenant_id);
}

const COLUMNS =
  'id, name, email, phone, company, position, source, status, owner_id, team_id, custom_fields, tags, created_at, updated_at';

app.get('/bare/health', async (c) => {
  await sql`select app.environment()`;
  return c.json({ status: 'ok' });
});

app.get('/bare/leads/:id', async (c) => {
  const tenant = await tenantOf(c);
  const [, rows] = await sql.begin((tx) => [
    enterTenant(tx, tenant),
    tx`select ${tx.unsafe(COLUMNS)} from public.leads where tenant_id = ${tenant} and id = ${c.req.param('id')}`,
  ]);
  return c.json({ data: rows?.[0] });
});

app.get('/bare/leads', async (c) => {
  const tenant = await tenantOf(c);
  const status = c.req.query('status') ?? '';
  const [, rows, counts] = await sql.begin((tx) => [
    enterTenant(tx, tenant),
    tx`
      select ${tx.unsafe(COLUMNS)} from public.leads where tenant_id = ${tenant} and status = ${status}
      order by created_at desc, id desc limit 25`,
    tx`select count(*) from public.leads where tenant_id = ${tenant} and status = ${status}`,
  ]);
  return c.json({ data: rows, meta: { total: Number(counts?.[0]?.count) } });
});

app.post('/bare/leads', async (c) => {
  const tenant = await tenantOf(c);
  const { custom_fields: fields, tags, ...lead } = await c.req.json();
  const [, rows] = await sql.begin((tx) => [
    enterTenant(tx, tenant),
    tx`
      insert into public.leads (tenant_id, name, email, phone, company, position, source, custom_fields, tags)
      values (${tenant}, ${lead.name}, ${lead.email}, ${lead.phone}, ${lead.company}, ${lead.position}, ${lead.source},
              ${JSON.stringify(fields)}, ${tags})
      returning ${tx.unsafe(COLUMNS)}`,
  ]);
  return c.json({ data: rows?.[0] }, 201);
});

app.patch('/bare/leads/:id', async (c) => {
  const tenant = await tenantOf(c);
  const { position, custom_fields: fields } = await c.req.json();
  const [, rows] = await sql.begin((tx) => [
    enterTenant(tx, tenant),
    tx`
      update public.leads set position = ${position}, custom_fields = ${JSON.stringify(fields)}
      where tenant_id = ${tenant} and id = ${c.req.param('id')}
      returning ${tx.unsafe(COLUMNS)}`,
  ]);
  return c.json({ data: rows?.[0] });
});
