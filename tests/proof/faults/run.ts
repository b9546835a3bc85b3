// `npm run proof:faults -- --seed N --faults M [--batch B] [--only text] [--patient] [--move]`: load on all interfaces, one fault after
// another, and a check of all data after each batch. `--move` moves a tenant between two stacks in the batches after the first, three times.
// `--jobs` kills payment jobs at each of their exchanges instead.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { handleLostConnections } from '../../../clients/typescript/src/cli/lost-connections.ts';
import { createCaller } from './call.ts';
import { checkArrivals, checkDatabase } from './checks.ts';
import { CrmClient } from './crm-client.ts';
import { chooseFault } from './faults.ts';
import { FeedClient } from './feed-client.ts';
import { moveTenant } from './move.ts';
import { PaymentClient } from './payment-client.ts';
import { createRandom } from './random.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { RecordClient } from './record-client.ts';
import { runKilledJobs } from './run-killed-jobs.ts';
import { RunState } from './run-state.ts';
import { settle } from './settle.ts';
import { SyncClient } from './sync-client.ts';
import { createProofPlan, createProofTenant, type ProofTenant, recordsWebhook } from './tenant.ts';
import { startTestBed, type TestBed } from './test-bed.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: '100' },
    batch: { type: 'string', default: '25' },
    tenants: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    patient: { type: 'boolean', default: false },
    move: { type: 'boolean', default: false },
    jobs: { type: 'boolean', default: false },
  },
});
const [seed, wanted, batch] = [Number(values.seed), Number(values.faults), Number(values.batch)];
const random = createRandom(seed);
const state = new RunState();
/** How often a fault begins while the previous one is still active. */
const OVERLAP = 0.2;
const FAULTS_WHILE_MOVING_MS = 5 * 60_000;
/** A move copies all rows of the batches before it, so more of them would take most of the time. */
const MOVES = 3;

type AnyClient = SyncClient | PaymentClient | RecordClient | FeedClient | CrmClient;

/** A tenant, its clients, and the stack that serves it. */
interface Workspace {
  tenant: ProofTenant;
  receiver: Receiver;
  clients: AnyClient[];
  home: TestBed;
}

async function startWorkspace(home: TestBed, t: number): Promise<Workspace> {
  const receiver = await startReceiver();
  const tenant = await createProofTenant(home.sql, receiver, `proof-${t}`);
  const caller = () => createCaller(`${home.stack.info.base_url}/functions/v1`, state);
  const clients: AnyClient[] = [];
  for (let i = 0; i < 2; i++) {
    const sync = new SyncClient(`t${t}s${i}`, tenant, caller(), state, random.fork(`sync ${t} ${i}`));
    await sync.setUp();
    clients.push(sync);
  }
  for (let i = 0; i < 3; i++) {
    clients.push(new PaymentClient(tenant, caller(), state, random.fork(`pay ${t} ${i}`)));
    const records = new RecordClient(`t${t}r${i}`, tenant, caller(), state, random.fork(`records ${t} ${i}`));
    await records.setUp(i === 0 ? recordsWebhook(receiver) : undefined);
    clients.push(records);
  }
  clients.push(new FeedClient(tenant, caller(), state, random.fork(`feed ${t}`)));
  const { pipedrive } = home.stack.crms ?? {};
  // The CRM goes on sending webhooks to the source of a move.
  if (pipedrive && !values.move) {
    const crm = new CrmClient(`t${t}crm`, {
      pipedrive,
      sql: home.sql,
      state,
      random: random.fork(`crm ${t}`),
    });
    await crm.setUp();
    clients.push(crm);
  }
  return { tenant, receiver, clients, home };
}

async function injectBatch(testBeds: TestBed[], receivers: Receiver[], count: number): Promise<void> {
  const under: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    const { name, inject } = chooseFault(random, values.only);
    state.count(state.faults, name);
    const own = random.fork(`${name} ${i}`);
    const testBed = own.pick(testBeds);
    const lasting = inject({ testBed, receivers }, own).catch((error: unknown) =>
      console.log(`  not injected: ${name}: ${String(error)}`),
    );
    under.push(lasting);
    if (!random.chance(OVERLAP)) await Promise.all(under.splice(0));
    await pause(random.between(100, 800));
  }
  await Promise.all(under);
}

/** Injects faults while the workspace is moved to the other stack. */
async function injectWhileMoving(
  testBeds: TestBed[],
  moving: Workspace,
  receivers: Receiver[],
  count: number,
): Promise<void> {
  const to = testBeds.find((testBed) => testBed !== moving.home);
  if (!to) throw new Error('There is no second test bed.');
  let isMoving = true;
  const { slug } = moving.tenant;
  const move = moveTenant({ slug, from: moving.home, to }, state, random.fork('move')).finally(() => {
    isMoving = false;
  });
  // Rethrown below, after the faults.
  move.catch(() => {});
  const startedAt = Date.now();
  await injectBatch(testBeds, receivers, count);
  // The move must then finish: on a slow machine, it would not finish between two faults.
  while (isMoving && Date.now() - startedAt < FAULTS_WHILE_MOVING_MS) {
    await pause(random.between(3000, 20_000));
    await injectBatch(testBeds, receivers, 1);
  }
  await move;
  moving.home = to;
}

async function checkAll(testBeds: TestBed[], workspaces: Workspace[], patient: boolean) {
  const startedAt = Date.now();
  for (const testBed of testBeds) {
    const left = await settle(testBed, state, { patient });
    state.check(left.length === 0, () => `does not come to rest: ${left.join(', ')}`);
  }
  const auths = testBeds.map(({ sql }) => sql);
  for (const { home, tenant, clients, receiver } of workspaces) {
    for (const client of clients) await client.checkAtRest(home.sql, auths);
    await checkArrivals(home.sql, state, new Map([[tenant.id, receiver]]));
  }
  for (const testBed of testBeds) {
    await checkDatabase(testBed.sql, state);
    for (const trouble of testBed.troubles.splice(0)) state.wrong(trouble);
  }
  return Math.round((Date.now() - startedAt) / 1000);
}

function report(receivers: readonly Receiver[], seconds: number): void {
  const lines = (map: Map<string, number>) =>
    [...map]
      .sort()
      .map(([name, n]) => `  ${String(n).padStart(7)}  ${name}`)
      .join('\n');
  const sum = (map: Map<string, number>) => [...map.values()].reduce((all, n) => all + n, 0);
  const arrivals = receivers.reduce((all, { requests }) => all + requests, 0);
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
  const testBeds = [await startTestBed()];
  if (values.move) testBeds.push(await startTestBed());
  const workspaces: Workspace[] = [];
  const receivers = () => workspaces.map(({ receiver }) => receiver);
  try {
    for (const { sql } of testBeds) await createProofPlan(sql);
    const [first] = testBeds;
    for (let t = 0; first && t < Number(values.tenants); t++) workspaces.push(await startWorkspace(first, t));
    const clients = workspaces.flatMap((workspace) => workspace.clients);
    const running = clients.map((client) => state.client(() => client.one()));
    for (let injected = 0; injected < wanted; injected += batch) {
      const count = Math.min(batch, wanted - injected);
      const last = injected + count >= wanted;
      const isMoved = values.move && injected > 0 && injected <= MOVES * batch;
      const [moving] = isMoved ? workspaces : [];
      if (moving) await injectWhileMoving(testBeds, moving, receivers(), count);
      else await injectBatch(testBeds, receivers(), count);
      const took = await checkAll(testBeds, workspaces, last && values.patient);
      console.log(
        `${injected + count} faults, ${Math.round((Date.now() - startedAt) / 1000)} s; at rest and looked at after ${took} s; ${state.violations.length} violations`,
      );
      if (!last) state.resume();
    }
    state.end();
    await Promise.all(running);
  } finally {
    report(receivers(), Math.round((Date.now() - startedAt) / 1000));
    for (const receiver of receivers()) receiver.close();
    for (const testBed of testBeds) await testBed.stop();
  }
  process.exit(state.violations.length === 0 ? 0 : 1);
}

if (values.jobs) await runKilledJobs();
else {
  handleLostConnections();
  await main();
}
