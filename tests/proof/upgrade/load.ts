// The load during an upgrade: clients of all interfaces, webhook receivers, and the duration of each request.
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { activity, collaborator } from '../../support/gamification/sync.ts';
import { type Caller, createCaller, signed } from '../faults/call.ts';
import { PaymentClient } from '../faults/payment-client.ts';
import type { Random } from '../faults/random.ts';
import { type Receiver, startReceiver } from '../faults/receiver.ts';
import { RecordClient } from '../faults/record-client.ts';
import type { RunState } from '../faults/run-state.ts';
import { SyncClient } from '../faults/sync-client.ts';
import { createProofTenant, type ProofTenant, recordsWebhook } from '../faults/tenant.ts';

const MOST_MS = 5000;
/** Log lines other than responses of a provider or of the database. */
const UNEXPECTED = /Uncaught|panicked|"level":"error"(?!.*"status":50[23]\b)/;
const PLANTED_BATCHES = 10;
const BATCH = 1000;

export interface Load {
  /** The current phase of the upgrade. */
  current: { phase: string };
  receivers: Map<string, Receiver>;
  onLine(line: string): void;
  checkAtRest(sql: postgres.Sql): Promise<void>;
  /** Prints requests and their durations by phase. */
  report(): void;
  stop(): Promise<void>;
}

export async function startLoad(
  sql: postgres.Sql,
  url: string,
  state: RunState,
  random: Random,
): Promise<Load> {
  const durations = new Map<string, number[]>();
  const current = { phase: 'planting data' };
  const receivers = new Map<string, Receiver>();
  const caller = timed(createCaller(`${url}/functions/v1`, state), state, (ms) => {
    durations.set(current.phase, [...(durations.get(current.phase) ?? []), ms]);
  });
  const receiver = await startReceiver();
  const tenant = await createProofTenant(sql, receiver, 'upgrade');
  receivers.set(tenant.id, receiver);
  const planted = await plant(tenant, caller);
  const clients: (SyncClient | PaymentClient | RecordClient)[] = [];
  for (let i = 0; i < 2; i++) {
    const sync = new SyncClient(`s${i}`, tenant, caller, state, random.fork(`sync ${i}`));
    await sync.setUp();
    const records = new RecordClient(`r${i}`, tenant, caller, state, random.fork(`records ${i}`));
    await records.setUp(i === 0 ? recordsWebhook(receiver) : undefined);
    clients.push(sync, records, new PaymentClient(tenant, caller, state, random.fork(`pay ${i}`)));
  }
  current.phase = 'old version';
  const running = clients.map((client) => state.client(() => client.one()));
  return {
    current,
    receivers,
    onLine: (line) => UNEXPECTED.test(line) && state.wrong(line.slice(0, 400)),
    async checkAtRest(database) {
      for (const client of clients) await client.checkAtRest(database);
      const [row] = await database`
        select count(*)::integer as n from activities where tenant_id = ${tenant.id} and external_id like 'planted-%'`;
      state.check(row?.n === planted, () => `of ${planted} planted activities there are ${row?.n}`);
    },
    report: () => report(durations, state, receiver),
    async stop() {
      state.end();
      state.resume();
      await Promise.all(running);
      receiver.close();
    },
  };
}

/** Counts the time of each request, and reports those that took too long. */
const timed = (caller: Caller, state: RunState, note: (ms: number) => void): Caller => ({
  functionsUrl: caller.functionsUrl,
  async send(request) {
    const startedAt = performance.now();
    const said = await caller.send(request);
    const ms = performance.now() - startedAt;
    note(ms);
    state.check(ms <= MOST_MS, () => `${request.method} ${request.target} took ${Math.round(ms)} ms`);
    return said;
  },
});

/** Data that exists before the upgrade. Returns the number of activities. */
async function plant(tenant: ProofTenant, caller: Caller): Promise<number> {
  const send = async (body: object) => {
    const text = JSON.stringify(body);
    const target = '/default-integration';
    const headers = signed(tenant.apiKey, 'POST', target, text);
    const said = await caller.send({ door: 'sync', method: 'POST', target, body: text, headers });
    if (said.kind !== 'clear' || said.answer.status !== 200)
      throw new Error('The data could not be planted.');
  };
  await send({ action: 'sync_collaborators', collaborators: [collaborator('planted')] });
  for (let batch = 0; batch < PLANTED_BATCHES; batch++) {
    const activities = Array.from({ length: BATCH }, (_, i) =>
      activity(`planted-${batch}-${i}`, 'planted@example.com', { activity_code: '001' }),
    );
    await send({ action: 'sync_activities', activities });
    await pause(0);
  }
  return PLANTED_BATCHES * BATCH;
}

function report(durations: Map<string, number[]>, state: RunState, receiver: Receiver): void {
  for (const [phase, times] of durations) {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
    console.log(
      `${String(times.length).padStart(7)} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms: ${phase}`,
    );
  }
  for (const [answer, count] of [...state.answers].sort())
    console.log(`${String(count).padStart(7)} ${answer}`);
  console.log(`${String(receiver.requests).padStart(7)} requests to the receiver of webhooks`);
}
