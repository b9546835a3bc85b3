// Leads as a developer would serve them by hand with Hono and postgres.js, and nothing else, on the table that the peers
// have (bench/peers/leads.ts), under row-level security: with statements that leave together, and with one call of a
// function in the database that does all of a request. Nobody is authenticated: the caller names the tenant.
import process from 'node:process';
import { type Context, Hono } from 'hono';
import postgres from 'postgres';
import { connectionOptions, enterTenant } from './work.ts';

const sql = postgres(process.env.SUPABASE_DB_URL ?? '', connectionOptions);
const tenantOf = (c: Context) => c.req.header('x-tenant-id') ?? '';

export const app = new Hono();

app.get('/bare/health', async (c) => {
  await sql`select app.tenant_id()`;
  return c.json({ status: 'ok' });
});

// Statements.

const COLUMNS =
  'id, name, email, phone, company, position, source, status, owner_id, team_id, custom_fields, tags, created_at, updated_at';

/** The transaction of a request; gives the rows of each statement. */
const pipelined = async (
  c: Context,
  work: (tx: postgres.TransactionSql) => postgres.PendingQuery<postgres.Row[]>[],
) => {
  const [, ...results] = await sql.begin((tx) => [enterTenant(tx, tenantOf(c)), ...work(tx)]);
  return results;
};

app.get('/bare/pipelined/leads/:id', async (c) => {
  const [rows] = await pipelined(c, (tx) => [
    tx`select ${tx.unsafe(COLUMNS)} from leads where id = ${c.req.param('id')}`,
  ]);
  return c.json({ data: rows?.[0] });
});

app.get('/bare/pipelined/leads', async (c) => {
  const status = c.req.query('status') ?? '';
  const [rows, counts] = await pipelined(c, (tx) => [
    tx`
      select ${tx.unsafe(COLUMNS)} from leads where status = ${status} order by created_at desc, id desc limit 25`,
    tx`select count(*) from leads where status = ${status}`,
  ]);
  return c.json({ data: rows, meta: { total: Number(counts?.[0]?.count) } });
});

app.post('/bare/pipelined/leads', async (c) => {
  const { custom_fields: fields, tags, ...lead } = await c.req.json();
  const [rows] = await pipelined(c, (tx) => [
    tx`
      insert into leads (name, email, phone, company, position, source, custom_fields, tags)
      values (${lead.name}, ${lead.email}, ${lead.phone}, ${lead.company}, ${lead.position}, ${lead.source},
              ${JSON.stringify(fields)}, ${tags})
      returning ${tx.unsafe(COLUMNS)}`,
  ]);
  return c.json({ data: rows?.[0] }, 201);
});

app.patch('/bare/pipelined/leads/:id', async (c) => {
  const { position, custom_fields: fields } = await c.req.json();
  const [rows] = await pipelined(c, (tx) => [
    tx`
      update leads set position = ${position}, custom_fields = ${JSON.stringify(fields)}
      where id = ${c.req.param('id')}
      returning ${tx.unsafe(COLUMNS)}`,
  ]);
  return c.json({ data: rows?.[0] });
});

// One function a request, which gives the answer as text.

const answer = ([row]: postgres.Row[], status = 200) =>
  new Response(row?.answer, { status, headers: { 'content-type': 'application/json' } });

app.get('/bare/function/leads/:id', async (c) =>
  answer(await sql`select bare.get_lead(${tenantOf(c)}, ${c.req.param('id')}) as answer`),
);

app.get('/bare/function/leads', async (c) =>
  answer(await sql`select bare.list_leads(${tenantOf(c)}, ${c.req.query('status') ?? ''}) as answer`),
);

app.post('/bare/function/leads', async (c) =>
  answer(await sql`select bare.create_lead(${tenantOf(c)}, ${await c.req.text()}) as answer`, 201),
);

app.patch('/bare/function/leads/:id', async (c) =>
  answer(
    await sql`select bare.update_lead(${tenantOf(c)}, ${c.req.param('id')}, ${await c.req.text()}) as answer`,
  ),
);
