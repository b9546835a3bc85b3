// `npm run proof:faults -- --seed N --faults M [--batch B] [--only text] [--patient]`: load on all interfaces, faults one after another, and
// after each batch of them a look at everything. `--jobs` kills payment jobs at each of their exchanges instead.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { surviveLostConnections } from '../../../local/postgres/lost-connections.ts';
import { createCaller } from './call.ts';
import { checkArrivals, checkDatabase } from './checks.ts';
import { chooseFault } from './faults.ts';
import { PaymentClient } from './payment-client.ts';
import { createRandom } from './random.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { RecordClient } from './record-client.ts';
import { runKilledJobs } from './run-killed-jobs.ts';
import { RunState } from './run-state.ts';
import { settle } from './settle.ts';
import { type Stand, startStand } from './stand.ts';
import { SyncClient } from './sync-client.ts';
import { createProofTenant, recordsWebhook } from './tenant.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: '100' },
    batch: { type: 'string', default: '25' },
    tenants: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    patient: { type: 'boolean', default: false },
    jobs: { type: 'boolean', default: false },
  },
});
const [seed, wanted, batch] = [Number(values.seed), Number(values.faults), Number(values.batch)];
const random = createRandom(seed);
const state = new RunState();
/** How often a fault begins while the one before it still lasts. */
const OVERLAP = 0.2;

type AnyClient = SyncClient | PaymentClient | RecordClient;

async function startClients(stand: Stand, receivers: Map<string, Receiver>): Promise<AnyClient[]> {
  const { sql } = stand;
  const caller = createCaller(`${stand.stack.info.base_url}/functions/v1`, state);
  const clients: AnyClient[] = [];
  for (let t = 0; t < Number(values.tenants); t++) {
    const receiver = await startReceiver();
    const tenant = await createProofTenant(sql, receiver, `proof-${t}`);
    receivers.set(tenant.id, receiver);
    for (let i = 0; i < 2; i++) {
      const sync = new SyncClient(`t${t}s${i}`, tenant, caller, state, random.fork(`sync ${t} ${i}`));
      await sync.setUp();
      clients.push(sync);
    }
    for (let i = 0; i < 3; i++) {
      clients.push(new PaymentClient(tenant, caller, state, random.fork(`pay ${t} ${i}`)));
      const records = new RecordClient(`t${t}r${i}`, tenant, caller, state, random.fork(`records ${t} ${i}`));
      await records.setUp(i === 0 ? recordsWebhook(receiver) : undefined);
      clients.push(records);
    }
  }
  return clients;
}

async function injectBatch(stand: Stand, receivers: Receiver[], count: number): Promise<void> {
  const under: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    const { name, inject } = chooseFault(random, values.only);
    state.count(state.faults, name);
    const own = random.fork(`${name} ${i}`);
    const lasting = inject({ stand, receivers }, own).catch((error: unknown) =>
      console.log(`  not injected: ${name}: ${String(error)}`),
    );
    under.push(lasting);
    if (!random.chance(OVERLAP)) await Promise.all(under.splice(0));
    await pause(random.between(100, 800));
  }
  await Promise.all(under);
}

async function checkAll(
  stand: Stand,
  clients: AnyClient[],
  receivers: Map<string, Receiver>,
  patient: boolean,
) {
  const startedAt = Date.now();
  const left = await settle(stand, state, { patient });
  state.check(left.length === 0, () => `does not come to rest: ${left.join(', ')}`);
  for (const client of clients) await client.checkAtRest(stand.sql);
  await checkDatabase(stand.sql, state);
  await checkArrivals(stand.sql, state, receivers);
  for (const trouble of stand.troubles.splice(0)) state.wrong(trouble);
  return Math.round((Date.now() - startedAt) / 1000);
}

function report(receivers: Map<string, Receiver>, seconds: number): void {
  const lines = (map: Map<string, number>) =>
    [...map]
      .sort()
      .map(([name, n]) => `  ${String(n).padStart(7)}  ${name}`)
      .join('\n');
  const sum = (map: Map<string, number>) => [...map.values()].reduce((all, n) => all + n, 0);
  const arrivals = [...receivers.values()].reduce((all, { requests }) => all + requests, 0);
  console.log(`seed ${seed}: ${sum(state.faults)} faults in ${seconds} s`);
  console.log(lines(state.faults));
  console.log(`${sum(state.answers)} requests`);
  console.log(lines(state.answers));
  console.log(`${arrivals} requests to receivers of webhooks`);
  console.log(`${state.checks} checks, ${state.violations.length} violations`);
  for (const violation of state.violations.slice(0, 200)) console.log(`  ${violation}`);
}

async function main(): Promise<void> {
  const startedAt = Date.now();
  const stand = await startStand();
  const receivers = new Map<string, Receiver>();
  try {
    const clients = await startClients(stand, receivers);
    const running = clients.map((client) => state.client(() => client.one()));
    for (let injected = 0; injected < wanted; injected += batch) {
      const count = Math.min(batch, wanted - injected);
      const last = injected + count >= wanted;
      await injectBatch(stand, [...receivers.values()], count);
      const took = await checkAll(stand, clients, receivers, last && values.patient);
      console.log(
        `${injected + count} faults, ${Math.round((Date.now() - startedAt) / 1000)} s; at rest and looked at after ${took} s; ${state.violations.length} violations`,
      );
      if (!last) state.resume();
    }
    state.end();
    await Promise.all(running);
  } finally {
    report(receivers, Math.round((Date.now() - startedAt) / 1000));
    for (const receiver of receivers.values()) receiver.close();
    await stand.stop();
  }
  process.exit(state.violations.length === 0 ? 0 : 1);
}

if (values.jobs) await runKilledJobs();
else {
  surviveLostConnections();
  await main();
}
