// Sends generated requests to a running stack, and collects faults in the responses.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { inject } from 'vitest';
import { openApiDocuments } from '../../../docs/openapi/documents.ts';
import { operationsOf } from '../../support/documents/documented.ts';
import { waitFor } from '../../support/wait-for.ts';
import { planAddress } from './addresses.ts';
import { type Check, createCheck } from './checks.ts';
import { contentsOf } from './contents.ts';
import { type Interface, planRequest, type Surface } from './plan.ts';
import { type Chance, createChance } from './random.ts';
import { growthIn, type Sample, takeSample } from './resources.ts';
import { send, type WireReply, type WireRequest } from './wire.ts';
import { createWorld } from './world.ts';

export interface Proof {
  seed: number;
  count: number;
  /** Called regularly with the progress. */
  onProgress?: (line: string) => void;
}

/** A fault, the number of its occurrences, and the first request that showed it. */
export interface Finding {
  what: string;
  times: number;
  example: string;
}

export interface Outcome {
  findings: Finding[];
  /** Number of responses by interface, status and kind of request. */
  answers: Map<string, number>;
  samples: Sample[];
  /** For requests that should succeed. */
  slowestMs: number;
  largestBytes: number;
}

/** Requests in flight at a time: enough to keep two cores busy. */
const AT_ONCE = 12;
/** Shorter runs end before memory and connections are stable. */
const WARM_AFTER = 10_000;
/** The records interface has the most operations. */
const shares: Surface[] = [
  ...(Array(10).fill('v1') as Surface[]),
  ...(Array(6).fill('payments') as Surface[]),
  ...(Array(2).fill('default-integration') as Surface[]),
  'oauth',
];

export async function prove(sql: postgres.Sql, { seed, count, onProgress }: Proof): Promise<Outcome> {
  const world = await createWorld(sql);
  const documents = await openApiDocuments();
  const interfaces = new Map<Surface, { about: Interface; check: Check }>();
  for (const surface of new Set(shares)) {
    const document = JSON.parse(documents[surface] ?? '');
    const operations = operationsOf(document);
    const check = createCheck(surface, document, operations, world);
    interfaces.set(surface, { about: { surface, document, operations }, check });
  }
  const functions = inject('functions');
  const portOf = Object.fromEntries(Object.entries(functions).map(([name, { port }]) => [name, port]));
  const pids = Object.fromEntries(Object.entries(functions).map(([name, { pid }]) => [name, pid]));
  const ports = { functions: portOf, gateway: Number(new URL(inject('stack').base_url).port) };

  const findings = new Map<string, Finding>();
  const answers = new Map<string, number>();
  const samples: Sample[] = [];
  const find = (what: string, example: string) => {
    if (!findings.has(what)) onProgress?.(`${what}\n${example}`);
    const finding = findings.get(what) ?? { what, times: 0, example };
    findings.set(what, { ...finding, times: finding.times + 1 });
  };
  const tally = (name: string) => answers.set(name, (answers.get(name) ?? 0) + 1);
  let slowest = 0;
  let largest = 0;
  const token = inject('env').SANDBOX_NOTIFICATION_TOKEN ?? '';
  const sendOther = async (chance: Chance, index: number) => {
    const request = planAddress(chance, ports, token, world.own.all());
    const reply = await send(request).catch((error: Error) => error.message);
    const status = typeof reply === 'object' ? reply.status : 0;
    const what = `${request.method} ${request.target.slice(0, 30)}`;
    if (status === 0 || status >= 500)
      find(`${what}: ${status || 'no answer'}`, sceneOf(seed, index, request, reply));
    tally(`others ${status}`);
  };
  const sendOne = async (index: number) => {
    const chance = createChance(seed * 2 ** 22 + index);
    if (chance.oneIn(25)) return await sendOther(chance, index);
    const it = interfaces.get(chance.of(shares));
    if (!it) return;
    const plan = planRequest(chance, it.about, world, ports);
    const reply = await send(plan.request).catch((error: Error) => error.message);
    const faults =
      typeof reply === 'string'
        ? [reply]
        : reply
          ? it.check(plan, reply)
          : plan.reach === 'server'
            ? []
            : ['no answer'];
    const logged = faults.length > 0 && typeof reply === 'object' ? await logLinesOf(reply) : '';
    for (const fault of faults) {
      find(
        `${plan.surface} ${plan.operation.name}: ${fault} (${plan.kind}, ${plan.how})`,
        `${sceneOf(seed, index, plan.request, reply)}\n${logged}`,
      );
    }
    if (typeof reply !== 'object') return;
    tally(`${plan.surface} ${plan.kind} ${reply.status}`);
    slowest = Math.max(slowest, reply.elapsedMs);
    largest = Math.max(largest, reply.bytes);
    if (repeatsParameter(plan.request.target)) tally(`${plan.surface} repeated parameter ${reply.status}`);
    const { operation, request } = plan;
    const below = request.target.slice(plan.surface.length + 1);
    if (plan.reach === 'operation')
      world.own.learn(request.method, operation.path, below, request.body, reply);
  };

  const before = await untilQuiet(sql, world.victimId);
  const every = Math.max(1, Math.round(count / 100));
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next++;
      await sendOne(index);
      if (index % every !== 0) continue;
      const sample = await takeSample(sql, pids, index);
      if (sample) samples.push(sample);
      onProgress?.(`${index} of ${count}, ${findings.size} findings, ${JSON.stringify(sample?.memory)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  if (count >= WARM_AFTER) for (const grown of growthIn(samples)) find(grown, '');
  const after = await untilQuiet(sql, world.victimId);
  for (const [table, contents] of after) {
    if (before.get(table) !== contents) find(`another tenant's ${table} changed`, '');
  }
  for (const [name, { pid }] of Object.entries(functions)) {
    if (!isAlive(pid)) find(`the function ${name} died`, '');
  }
  return { findings: [...findings.values()], answers, samples, slowestMs: slowest, largestBytes: largest };
}

/** The tenant's data, once it is stable and no work is in flight: payouts settle after some seconds. */
async function untilQuiet(sql: postgres.Sql, tenantId: string): Promise<Map<string, string>> {
  let last = new Map<string, string>();
  return await waitFor(
    async () => {
      const [underWay] = await sql`
        select from jobs where tenant_id = ${tenantId} and finished_at is null and failed_at is null
          and due_at < now() + interval '10 seconds'
        union all select from payouts where tenant_id = ${tenantId} and status not in ('paid', 'failed', 'canceled')`;
      if (underWay) return false;
      const contents = await contentsOf(sql, tenantId);
      const isSame = JSON.stringify([...contents]) === JSON.stringify([...last]);
      last = contents;
      return isSame && contents;
    },
    { limitMs: 120_000 },
  );
}

/** The log lines of the functions about a request. */
async function logLinesOf({ headers }: WireReply): Promise<string> {
  const requestId = headers.get('x-request-id');
  const log = await readFile(join(inject('dir'), 'logs', 'functions.log'), 'utf8').catch(() => '');
  return requestId
    ? log
        .split('\n')
        .filter((line) => line.includes(requestId))
        .join('\n')
    : '';
}

function repeatsParameter(target: string): boolean {
  const names = [...new URLSearchParams(target.split('?')[1] ?? '').keys()].filter((name) =>
    /^[a-z_]+$/.test(name),
  );
  return new Set(names).size < names.length;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function sceneOf(
  seed: number,
  index: number,
  request: WireRequest,
  reply: WireReply | string | undefined,
): string {
  const { method, prefix, target, headers, body, ...wire } = request;
  const shown = {
    ...{
      seed,
      index,
      request: `${method} ${prefix}${target.slice(0, 400)}`,
      headers: headers.slice(0, 8).map(([name, value]) => `${name}: ${value.slice(0, 60)}`),
    },
    ...{ body: body?.toString('utf8').slice(0, 600), ...wire },
    ...{ answer: typeof reply === 'object' ? [reply.status, reply.body] : reply },
  };
  return JSON.stringify(shown).slice(0, 2500);
}
