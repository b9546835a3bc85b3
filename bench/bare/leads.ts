// Bare lead handlers with only Hono and postgres.js, on the same table as the peers (bench/peers/leads.ts) under row-level
// security. One form pipelines statements, the other calls one database function per request. There is no authentication: a
// header names the tenant.
import process from 'node:process';
import { type Context, Hono } from 'hono';
import postgres from 'postgres';
import { readAddress } from '../../shared/platform/database-address.ts';
import { createPool } from '../../shared/platform/db/pool.ts';
import { compileAll, type Fragment, type Sql, sql as templates } from '../../shared/platform/db/sql.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectionOptions, enterTenant } from './work.ts';

const databaseUrl = process.env.SUPABASE_DB_URL ?? '';
const sql = postgres(databaseUrl, connectionOptions);
const tenantOf = (c: Context) => c.req.header('x-tenant-id') ?? '';

export const app = new Hono();

app.get('/bare/health', async (c) => {
  await sql`select app.tenant_id()`;
  return c.json({ status: 'ok' });
});

// Statements with either driver: postgres.js pipelines them; Placar's own layer sends them as one message.

const COLUMNS = (
  'id name email phone company position source status owner_id team_id custom_fields tags ' +
  'created_at updated_at'
).split(' ');

interface Row {
  [column: string]: unknown;
}
type Run = (c: Context, build: (sql: Sql) => Fragment[]) => Promise<Row[][]>;

const pipelined: Run = async (c, build) => {
  const [, ...results] = await sql.begin((tx) => [
    enterTenant(tx, tenantOf(c)),
    ...(build(tx as unknown as Sql) as unknown as postgres.PendingQuery<Row[]>[]),
  ]);
  return results;
};

const connections = createPool({
  address: readAddress(databaseUrl),
  size: connectionOptions.max,
  perTenant: connectionOptions.max,
  waitMs: 60_000,
  timeoutMs: 60_000,
  log: silentLogger,
});
const message: Run = async (c, build) => {
  const enter = templates`select set_config('role', 'api', true), set_config('app.tenant_id', ${tenantOf(c)}, true)`;
  const statements = compileAll([enter, ...build(templates)]);
  const all = await connections.use((connection) => connection.send(statements, true), 'none', {
    tenantId: null,
    hasWritten: false,
  });
  return all.slice(1) as Row[][];
};

for (const [form, run] of Object.entries({ pipelined, message })) {
  const path = `/bare/${form}/leads`;

  app.get(`${path}/:id`, async (c) => {
    const [rows] = await run(c, (tx) => [
      tx`select ${tx(COLUMNS)} from leads where id = ${c.req.param('id')}`,
    ]);
    return c.json({ data: rows?.[0] });
  });

  app.get(path, async (c) => {
    const status = c.req.query('status') ?? '';
    const [rows, counts] = await run(c, (tx) => [
      tx`
        select ${tx(COLUMNS)} from leads where status = ${status} order by created_at desc, id desc limit 25`,
      tx`select count(*) from leads where status = ${status}`,
    ]);
    return c.json({ data: rows, meta: { total: Number(counts?.[0]?.count) } });
  });

  app.post(path, async (c) => {
    const { custom_fields: fields, tags, ...lead } = await c.req.json();
    const [rows] = await run(c, (tx) => [
      tx`
        insert into leads (name, email, phone, company, position, source, custom_fields, tags)
        values (${lead.name}, ${lead.email}, ${lead.phone}, ${lead.company}, ${lead.position}, ${lead.source},
                ${JSON.stringify(fields)}, ${tags})
        returning id, ${tx(COLUMNS.slice(1))}`,
    ]);
    return c.json({ data: rows?.[0] }, 201);
  });

  app.patch(`${path}/:id`, async (c) => {
    const { position, custom_fields: fields } = await c.req.json();
    const [rows] = await run(c, (tx) => [
      tx`
        update leads set position = ${position}, custom_fields = ${JSON.stringify(fields)}
        where id = ${c.req.param('id')}
        returning id, ${tx(COLUMNS.slice(1))}`,
    ]);
    return c.json({ data: rows?.[0] });
  });
}

// One function call per request, which returns the response as text.

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
