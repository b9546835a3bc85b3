// The cost of each operation: CPU time of the function, Postgres and the emulators, Redis commands, QStash messages and network
// waits. Compared to the bare handlers and the installed peers.
import { deliverBurst, type Receiver, startReceiver, subscribe } from '../bursts.ts';
import { type LeadsServer, placarRequests, startLeadsServers } from '../contenders.ts';
import {
  type Contender,
  type Costs,
  describeAccount,
  measureCosts,
  printCosts,
  type Shared,
} from '../costs.ts';
import { postgresProcesses } from '../cpu.ts';
import { importLine, startDeno } from '../deno.ts';
import type { LoadProcess } from '../load/client.ts';
import type { PlainRequest, Target } from '../load/load.ts';
import { DELIVERY, loadOf, type Operation } from '../operation.ts';
import type { Pace } from '../pace.ts';
import { installedPeers } from '../peers/peers.ts';
import { operations } from '../peers/requests.ts';
import { fillRecords, type RecordsClient, recordsClient } from '../records.ts';
import type { Ratio } from '../report.ts';
import { type Stage, startStage } from '../stage.ts';
import { measureCounts } from './cost-counts.ts';
import { costGoals } from './cost-goals.ts';
import { anyInvoice, fillInvoices, INVOICE } from './payments.ts';

const LEADS = 20_000;
const INVOICES = 10_000;
/** Number of batches with a thousand activities. */
const WARM_BATCHES = 64;

/** An operation, and the contenders for it. */
interface Case extends Operation {
  others: Record<string, { target: Target; processes(): number[] }>;
}

export async function measureCost(_full: Stage, load: LoadProcess, pace: Pace): Promise<Ratio[]> {
  console.log(`\n${describeAccount()}`);
  if (installedPeers().length === 0)
    console.log('No peers installed. To install them: npm run bench:peers:install');
  const stops: (() => unknown)[] = [];
  try {
    const stage = await startStage();
    stops.push(stage.stop);
    const receiver = await startReceiver();
    stops.push(receiver.stop);
    const client = await recordsClient(stage);
    await fillRecords(stage, client, LEADS);
    await fillInvoices(stage, INVOICES);
    const leads = await startLeadsServers(stage, client);
    stops.push(leads.stop);
    const bare = await startBare(stage);
    stops.push(bare.stop);

    const shared: Shared = { postgres: await postgresProcesses(stage.sql), standIns: () => [process.pid] };
    const cases = [
      ...leadCases(stage, client, leads.servers),
      ...syncCases(stage, bare),
      ...(await invoiceCases(stage, bare)),
    ];
    const costs = new Map<string, Record<string, Costs>>();
    const measure = async (name: string, contenders: Record<string, Contender>) => {
      const measured = await measureCosts(contenders, shared, pace.rounds);
      printCosts(name, measured);
      costs.set(name, measured);
    };
    for (const one of cases) await measure(one.name, contendersOf(one, stage, client.token, load, pace));
    await subscribe(stage, receiver);
    await measure(DELIVERY, { Placar: deliveries(stage, receiver, pace) });
    const counts = await measureCounts(stage, cases, load, receiver, pace);
    return costGoals(costs, counts);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

const startBare = ({ stack, dir }: Stage) =>
  startDeno({
    name: 'bare',
    entry: `${importLine('bench/bare/app.ts', 'app')}Deno.serve(app.fetch);\n`,
    health: '/bare/health',
    // As the owner, because the functions' login may not look up keys directly.
    env: { SUPABASE_DB_URL: stack.info.database_url },
    dir,
  });
type Bare = Awaited<ReturnType<typeof startBare>>;

function contendersOf(
  { function: name, target, activities = 1, others }: Case,
  { stack }: Stage,
  token: string,
  load: LoadProcess,
  { seconds, warmUp }: Pace,
): Record<string, Contender> {
  const edge = stack.functions.get(name);
  const contenderOf = (at: Target, processes: () => number[]): Contender => ({
    warmUp: () => load.run(loadOf(at, { requests: activities > 1 ? WARM_BATCHES : warmUp }, activities)),
    run: () => load.run(loadOf(at, { seconds }, activities)),
    processes,
  });
  const own = contenderOf(target(`http://127.0.0.1:${edge?.port}`, token), () => [edge?.pid() ?? 0]);
  const theirs = Object.entries(others).map(([other, one]) => [
    other,
    contenderOf(one.target, one.processes),
  ]);
  return { Placar: own, ...Object.fromEntries(theirs) };
}

function leadCases(stage: Stage, client: RecordsClient, servers: LeadsServer[]): Case[] {
  const plain = (url: string, request: PlainRequest): Target => ({ kind: 'plain', url, request });
  return operations.map((operation) => ({
    name: `lead ${operation}`,
    function: 'v1',
    target: (url, token) => plain(url, placarRequests(stage, client, token)[operation]),
    others: Object.fromEntries(
      servers.map(({ name, url, requests, processes }) => [
        name,
        { target: plain(url, requests[operation]), processes },
      ]),
    ),
  }));
}

function syncCases({ apiKey }: Stage, bare: Bare): Case[] {
  return [1, 1000].map((activities) => ({
    name: `activity sync of ${activities}`,
    function: 'default-integration',
    target: (url) => ({ kind: 'http', url: `${url}/default-integration`, apiKey }),
    activities,
    others: {
      'bare handler': {
        target: { kind: 'http', url: `http://127.0.0.1:${bare.port}/bare`, apiKey },
        processes: () => [bare.pid],
      },
    },
  }));
}

async function invoiceCases(stage: Stage, bare: Bare): Promise<Case[]> {
  const { apiKey } = stage;
  const id = await anyInvoice(stage);
  return [
    {
      name: 'invoice create',
      function: 'payments',
      target: (url) => ({ kind: 'signed', url, path: '/payments/invoices', apiKey, body: INVOICE }),
      others: {},
    },
    {
      name: 'invoice get',
      function: 'payments',
      target: (url) => ({ kind: 'signed', url, path: `/payments/invoices/${id}`, apiKey }),
      others: {
        'bare handler': {
          target: {
            kind: 'signed',
            url: `http://127.0.0.1:${bare.port}`,
            path: `/bare/invoices/${id}`,
            apiKey,
          },
          processes: () => [bare.pid],
        },
      },
    },
  ];
}

function deliveries(stage: Stage, receiver: Receiver, { deliveries: requests }: Pace): Contender {
  const run = async () => ({
    requests,
    perSecond: requests / (await deliverBurst(stage, receiver, requests)),
  });
  return { warmUp: run, run, processes: () => [stage.stack.functions.get('callbacks')?.pid() ?? 0] };
}
