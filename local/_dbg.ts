import { mkdtempSync } from 'node:fs';
import postgres from 'postgres';
import { startStack } from './stack.ts';
import { controlOf } from './fakes/controls.ts';
const dir = mkdtempSync('/tmp/dbgstack-');
const stack = await startStack({ dir, port: 0, durable: false, env: {}, providers: 'unconnected' });
console.log('dir', dir);
const sql = postgres(stack.info.database_url, { max: 2, onnotice: () => {} });
const pd: any = controlOf(new URL(stack.env.PIPEDRIVE_URL).origin);
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const [{ id: tenant }] = await sql`select admin.create_tenant('T', 'tt') as id` as any;
const acc = await pd.createAccount({ users: [{ name: 'Ana', email: 'ana@acme.example' }], pipelines: [{ name: 'V', stages: ['Prospecting', 'Proposta'] }] });
const [{ id }] = await sql`select admin.connect_crm(${tenant}, 'pipedrive', ${JSON.stringify({ domain: acc.domain, api_token: acc.apiToken })}) as id` as any;
await sleep(4000);
console.log(await sql`select status, reason from crm_accounts`);
await sql`insert into users (tenant_id, name, email) values (${tenant}, 'Ana', 'ana@acme.example')`;
const { rows } = await pd.account(acc.id, 'rows');
const [davi] = await pd.addMany(acc.id, 'persons', [{ name: 'Davi', emails: [{ value: 'davi@client.example', primary: true }], owner_id: rows.users[0].id }]);
const [deal] = await pd.addMany(acc.id, 'deals', [{ title: 'Website', value: 1250.5, currency: 'BRL', person_id: davi.id, owner_id: rows.users[0].id, stage_id: rows.stages[0].id }]);
await sql`select admin.import_crm(${id})`;
for (let i = 0; i < 20; i++) { await sleep(500); const r = await sql`select kind, status, phase, read, created, updated, error from crm_runs order by created_at`; console.log(JSON.stringify(r)); if (r.length > 1 && r.every((x) => x.status === 'done')) break; }
await pd.patch(acc.id, 'deals', deal.id, { stage_id: rows.stages[1].id });
for (let i = 0; i < 16; i++) { await sleep(500); console.log(i, JSON.stringify([await sql`select crm_id, due_at - now() as due from private.crm_pending`, await sql`select kind from crm_differences`, await sql`select due_at-now() as due, locked_until, attempts, finished_at,last_error from jobs where name='sync-crm'`, await sql`select type from crm_events`, (await pd.deliveries()).map((d: any) => d.attempts)])); }
console.log(await sql`select * from crm_accounts`);
await sql.end(); await stack.stop(); process.exit(0);
