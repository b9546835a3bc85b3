// The faults: each one causes damage, lasts for a while and then restores the normal state.
import { setTimeout as pause } from 'node:timers/promises';
import { functionNames } from '../../../functions/manifest.ts';
import type { FaultyProxy } from './proxy.ts';
import type { Random } from './random.ts';
import type { Receiver } from './receiver.ts';
import type { TestBed } from './test-bed.ts';

export interface FaultTargets {
  testBed: TestBed;
  receivers: Receiver[];
}

type Fault = (where: FaultTargets, random: Random) => Promise<void>;

const edgeOf = ({ testBed }: FaultTargets, random: Random) => {
  const edge = testBed.stack.functions.get(random.pick([...functionNames, 'payments', 'callbacks', 'v1']));
  if (!edge) throw new Error('Function not found.');
  return edge;
};

/** A duration between `least` and `most` milliseconds. Shorter ones are more frequent. */
const lasting = (random: Random, least: number, most: number) =>
  pause(least + (most - least) * random.next() ** 2);

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended.
  }
};

async function stopped(pid: number, random: Random): Promise<void> {
  signal(pid, 'SIGSTOP');
  await lasting(random, 1000, 10_000);
  signal(pid, 'SIGCONT');
}

/** The faults of every proxy, by the text that identifies a request or transaction on the wire. */
const onWire = (name: keyof TestBed['proxies'], text: string): Record<string, Fault> => {
  const proxyOf = ({ testBed }: FaultTargets): FaultyProxy => testBed.proxies[name];
  return {
    [`${name}: connections cut`]: async (where, random) =>
      proxyOf(where).cut(random, random.pick([0.3, 0.6, 1])),
    [`${name}: away`]: async (where, random) => {
      proxyOf(where).refuse(true);
      await lasting(random, 200, 4000);
      proxyOf(where).refuse(false);
    },
    [`${name}: stalled, then everything at once`]: async (where, random) => {
      proxyOf(where).hold(true);
      await lasting(random, 300, 7000);
      proxyOf(where).hold(false);
    },
    [`${name}: late`]: async (where, random) => {
      proxyOf(where).delay(random.between(20, 400));
      await lasting(random, 1000, 3000);
      proxyOf(where).delay(0);
    },
    [`${name}: cut in the middle of a request`]: async (where, random) => {
      proxyOf(where).cutRequests(random.between(1, 5), text);
      await pause(1000);
      proxyOf(where).cutRequests(0, text);
    },
    [`${name}: answer lost`]: async (where, random) => {
      proxyOf(where).dropAnswers(random.between(1, 6), text);
      await pause(1000);
      proxyOf(where).dropAnswers(0, text);
    },
  };
};

const receiverFault =
  (mode: Receiver['mode']): Fault =>
  async ({ receivers }, random) => {
    const receiver = random.pick(receivers);
    receiver.mode = mode;
    await lasting(random, 1000, 6000);
    receiver.mode = 'fine';
  };

const clock =
  (moves: NodeJS.Signals): Fault =>
  async (where, random) => {
    const edge = edgeOf(where, random);
    signal(edge.pid(), moves);
    await lasting(random, 1000, 4000);
    signal(edge.pid(), 'SIGHUP');
  };

const kinds: Record<string, { weight: number; inject: Fault }> = {
  'function killed': {
    weight: 8,
    async inject(where, random) {
      const edge = edgeOf(where, random);
      where.testBed.expectEnd(edge.name);
      edge.crash();
      await lasting(random, 0, 1500);
    },
  },
  'function stopped': {
    weight: 4,
    inject: async (where, random) => stopped(edgeOf(where, random).pid(), random),
  },
  'clock a minute ahead': { weight: 2, inject: clock('SIGUSR2') },
  'clock a minute behind': { weight: 2, inject: clock('SIGWINCH') },
  'Postgres: connections ended by an operator': {
    weight: 3,
    async inject({ testBed }, random) {
      const share = random.pick([0.3, 1]);
      await testBed.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'placar' and random() < ${share}`;
    },
  },
  'Postgres: backend stopped': {
    weight: 2,
    async inject({ testBed }, random) {
      const rows = await testBed.sql`select pid from pg_stat_activity where application_name = 'placar'`;
      if (rows.length > 0) await stopped(random.pick(rows).pid as number, random);
    },
  },
  'Postgres: stopped at once and started': {
    weight: 3,
    async inject({ testBed }, random) {
      signal(testBed.postgresPid(), 'SIGQUIT');
      await lasting(random, 500, 2000);
    },
  },
  'Postgres: a backend killed': {
    weight: 1,
    async inject({ testBed }, random) {
      const rows = await testBed.sql`select pid from pg_stat_activity where application_name = 'placar'`;
      if (rows.length > 0) signal(random.pick(rows).pid as number, 'SIGKILL');
      await lasting(random, 500, 2000);
    },
  },
  'Redis killed': {
    weight: 2,
    async inject({ testBed }, random) {
      testBed.redis.current().kill('SIGKILL');
      await lasting(random, 0, 1500);
    },
  },
  'QStash killed': {
    weight: 3,
    async inject({ testBed }, random) {
      testBed.qstash.current().kill('SIGKILL');
      await lasting(random, 0, 1500);
    },
  },
  'QStash stopped': {
    weight: 1,
    inject: async ({ testBed }, random) => stopped(testBed.qstash.current().pid, random),
  },
  'receiver slow': { weight: 2, inject: receiverFault('slow') },
  'receiver failing': { weight: 2, inject: receiverFault('failing') },
  'receiver hangs up': { weight: 2, inject: receiverFault('hanging up') },
  'receiver closes the connection': { weight: 1, inject: receiverFault('breaking off') },
};
/** Text that the end of each transaction and each HTTP request of a client contain on the wire. */
for (const [name, text, weight] of [
  ['postgres', 'commit\0', 3],
  ['redis', 'POST ', 0.5],
  ['qstash', 'POST ', 1],
  ['supabase', ' HTTP/1.1', 0.7],
] as const) {
  for (const [kind, inject] of Object.entries(onWire(name, text))) kinds[kind] = { weight, inject };
}

/** Chooses a fault by the seed, among those whose name contains the text. Returns its name and action. */
export function chooseFault(random: Random, only = ''): { name: string; inject: Fault } {
  const entries = Object.entries(kinds).filter(([name]) => name.includes(only));
  let at = random.next() * entries.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const [name, { weight, inject }] of entries) {
    at -= weight;
    if (at < 0) return { name, inject };
  }
  throw new Error('There are no faults.');
}
