// The cost of a request, layer by layer: the same request with one more of Placar's layers each time.
import { readFile } from 'node:fs/promises';
import { median } from '../compare.ts';
import { placarRequests } from '../contenders.ts';
import { type Contender, type Costs, describeAccount, measureCosts, type Shared } from '../costs.ts';
import { postgresProcesses } from '../cpu.ts';
import { importLine, startDeno } from '../deno.ts';
import type { LoadProcess } from '../load/client.ts';
import type { PlainRequest } from '../load/load.ts';
import { loadOf } from '../operation.ts';
import type { Pace } from '../pace.ts';
import { type Operation, operations } from '../peers/requests.ts';
import { fillRecords, recordsClient } from '../records.ts';
import { printTable, type Ratio } from '../report.ts';
import { type Stage, startStage } from '../stage.ts';

const LEADS = 20_000;

const HTTP = { 'a constant response': '/constant', 'request id, log line': '/health/live' };
const GUARD = { 'token, scope, limit, admission': '/guarded' };
const READ = { 'admission in a read': '/transaction' };
const WRITE = { 'log row, jobs': '/transaction' };
const NAMED = { 'names, entity tag': '/leads' };

/** What each layer adds, and the path that replaces `/v1/leads` in the request. */
const layersOf: Record<Operation, Record<string, string>> = {
  get: { ...HTTP, ...GUARD, ...READ, 'the record': '/records', ...NAMED },
  list: { ...HTTP, ...GUARD, ...READ, 'page and total': '/records', ...NAMED },
  create: {
    ...HTTP,
    ...GUARD,
    ...WRITE,
    'rules of the fields, the row': '/bare-records',
    'events, points, automations': '/records',
    ...NAMED,
  },
  update: { ...HTTP, ...GUARD, 'log row, the row': '/bare-records', events: '/records', ...NAMED },
};
/** Layers whose paths have neither an id nor a body. */
const WITHOUT_ID = new Set(['/constant', '/health/live', '/guarded', '/transaction']);

export async function measureLayers(_full: Stage, load: LoadProcess, pace: Pace): Promise<Ratio[]> {
  console.log(`\n${describeAccount()}`);
  const stage = await startStage();
  try {
    const client = await recordsClient(stage);
    await fillRecords(stage, client, LEADS);
    await stage.sql.unsafe(await readFile(new URL('../layers/bare-leads.sql', import.meta.url), 'utf8'));
    await stage.sql`
      insert into public.bare_leads (id, tenant_id, name, email, company, source, status, owner_id, created_at, updated_at)
      select id, tenant_id, name, email, company, source, status, owner_id, created_at, updated_at from public.leads`;
    await stage.sql`vacuum analyze public.bare_leads`;
    const app = await startDeno({
      name: 'layers',
      entry: `${importLine('bench/layers/app.ts', 'respond')}Deno.serve(respond);\n`,
      health: '/layers/health',
      env: stage.stack.env,
      dir: stage.dir,
    });
    const shared: Shared = { postgres: await postgresProcesses(stage.sql), standIns: () => [process.pid] };
    const requests = placarRequests(stage, client, client.token);
    for (const operation of operations) {
      const contenders = Object.entries(layersOf[operation]).map(([name, path]) => {
        const request = requestOf(requests[operation], path);
        const target = { kind: 'plain', url: `http://127.0.0.1:${app.port}`, request } as const;
        const contender: Contender = {
          warmUp: () => load.run(loadOf(target, { requests: pace.warmUp })),
          run: () => load.run(loadOf(target, { seconds: pace.seconds })),
          processes: () => [app.pid],
        };
        return [name, contender];
      });
      printLayers(operation, await measureCosts(Object.fromEntries(contenders), shared, pace.rounds));
    }
    await app.stop();
    return [];
  } finally {
    await stage.stop();
  }
}

/** The request of v1 at the path of a layer. */
function requestOf(request: PlainRequest, path: string): PlainRequest {
  const paths = WITHOUT_ID.has(path)
    ? [`/layers${path}`]
    : request.paths.map((each) => each.replace('/v1/leads', `/layers${path}`));
  return path === '/health/live' ? { method: 'GET', paths, headers: {} } : { ...request, paths };
}

function printLayers(operation: Operation, costs: Record<string, Costs>): void {
  let before = { function: 0, postgres: 0 };
  const rows = Object.entries(costs).map(([name, { ms }]) => {
    const now = { function: median(ms.function), postgres: median(ms.postgres) };
    const cells = [
      now.function,
      now.function - before.function,
      now.postgres,
      now.postgres - before.postgres,
    ];
    before = now;
    return [name, ...cells.map((cell) => cell.toFixed(3))];
  });
  const columns = ['function ms', 'more', 'Postgres ms', 'more'];
  printTable(`lead ${operation}, layer by layer: CPU per request, medians`, ['', ...columns], rows);
}
