// Simulates rate limits with virtual time: workers with their own clocks count requests with the deployed counter, its
// Redis client and the keyspace of the stack's Redis. A seed determines when Redis is slow, unreachable, silent, late or
// empty, when workers die and when plans change. The invariants are checked throughout.
import type { Counter } from '../../../shared/platform/access/request-counter.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { counterOf, requesterOf, skewClocks, startKeyspace, TIMEOUT_MS } from './limit-counters.ts';

const WINDOW_MS = 60_000;
/** As documented: at least this share of a limit is allowed before a request is rejected. */
const SHARE_LET_IN = 0.8;

export type Pick = (below: number) => number;

/** A repeatable random source: integers below the given number. */
export function chance(seed: number): Pick {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What happens to a request to Redis: its latency in each direction, or undefined if it is lost. */
interface Way {
  there: number | undefined;
  back: number | undefined;
  /** Whether the client learns immediately that a part is lost, as with a broken connection. */
  told: boolean;
}

type Weather = (pick: Pick) => Way;

const fair: Weather = (pick) => ({ there: pick(20), back: pick(20), told: false });
/** Faults of Redis and of the network. */
const weathers: Weather[] = [
  (pick) => ({ there: pick(3000), back: pick(3000), told: false }),
  () => ({ there: undefined, back: undefined, told: true }),
  () => ({ there: undefined, back: undefined, told: false }),
  (pick) => ({ there: pick(1500), back: undefined, told: false }),
  (pick) => ({ there: pick(20), back: undefined, told: true }),
  (pick) => ({ there: TIMEOUT_MS + pick(5000), back: pick(20), told: false }),
];

interface Worker {
  counter: Counter;
  /** Its clock skew. */
  offsetMs: number;
  alive: boolean;
  /** The plan as this worker last read it. */
  allowed: number | undefined;
}

/** What happened to a caller in one window. */
interface Tally {
  arrived: number;
  /** Allowed with a number, and not reverted. */
  counted: number;
  refused: number;
  /** The highest limit that allowed a request. */
  limit: number;
  /** How many Redis instances counted in it. */
  lives: Set<number>;
  /** Reverted after Redis lost its counts. Some may belong to an earlier instance, so as many more requests are allowed. */
  takenBackLate: number;
}

export interface Summary {
  faults: string[];
  letIn: number;
  uncounted: number;
  refused: number;
  redisCommands: number;
}

/** Runs the simulation of a seed. `faults` lists the violated invariants. */
export async function playLimits(seed: number): Promise<Summary> {
  const pick = chance(seed);
  const some = <T>(list: readonly T[]): T => list[pick(list.length)] as T; // `pick` is below the length
  const summary: Summary = { faults: [], letIn: 0, uncounted: 0, refused: 0, redisCommands: 0 };
  const fault = (text: string) => summary.faults.push(`seed ${seed}: ${text}`);

  // Time advances from event to event.
  let nowMs = (1000 + pick(100)) * WINDOW_MS + pick(WINDOW_MS);
  const events: { timeMs: number; event: () => void }[] = [];
  const at = (timeMs: number, event: () => void) => {
    // In order of time; events at the same time in order of creation.
    let [from, to] = [0, events.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((events[middle]?.timeMs ?? 0) <= timeMs) from = middle + 1;
      else to = middle;
    }
    events.splice(from, 0, { timeMs, event });
  };
  const later = (ms: number) => new Promise<void>((resolve) => at(nowMs + ms, resolve));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const play = async () => {
    await settle();
    for (let next = events.shift(); next; next = events.shift()) {
      nowMs = Math.max(nowMs, next.timeMs);
      next.event();
      await settle();
    }
  };
  const clock = skewClocks(() => nowMs);

  const tallies = new Map<string, Tally>();
  const tallyOf = (id: string, resetsAtMs: number): Tally => {
    const window = resetsAtMs / WINDOW_MS - 1;
    // The library's windows are twice as long.
    const key = `placar:tenant:${id}:${window}:${Math.floor(window / 2)}`;
    const found = tallies.get(key);
    if (found) return found;
    const tally: Tally = { arrived: 0, counted: 0, refused: 0, limit: 0, lives: new Set(), takenBackLate: 0 };
    tallies.set(key, tally);
    return tally;
  };

  let life = 0;
  let weather = fair;
  let troubled = false;
  const redis = await startKeyspace((name, [key = '', amount]) => {
    summary.redisCommands++;
    const tally = tallies.get(key);
    if (!tally || name !== 'INCRBY') return;
    tally.lives.add(life);
    if (tally.lives.size > 1 && amount === '-1') tally.takenBackLate++;
  });
  const requester = requesterOf(redis.run, async (carryOut) => {
    const { there, back, told } = weather(pick);
    const lost = () => (told ? Promise.reject(new Error('connection reset')) : new Promise<never>(() => {}));
    if (there === undefined) return lost();
    await later(there);
    const answer = carryOut();
    if (back === undefined) return lost();
    await later(back);
    return answer;
  });
  const waitFor = <T>(asked: Promise<T>) => Promise.race([asked, later(TIMEOUT_MS).then(() => undefined)]);

  /** Clocks differ by less than one window. */
  const clocksDiffer = pick(2) === 0;
  const someOffset = () => (clocksDiffer ? pick(WINDOW_MS - 1000) - WINDOW_MS / 2 : 0);
  const startWorker = (): Worker => {
    const worker: Worker = { offsetMs: someOffset(), alive: true, allowed: undefined, counter: none };
    worker.counter = counterOf(requester, { waitFor }, () => worker.offsetMs);
    return worker;
  };
  const workers = Array.from({ length: 1 + pick(some([8, 40])) }, startWorker);
  const someLimit = () => some([1 + pick(20), 20 + pick(400), 400 + pick(2000)]);
  const limits = new Map(['one', 'two'].slice(pick(2)).map((id) => [id, someLimit()]));
  const ids = [...limits.keys()];
  const limitOf = (id: string) => limits.get(id) ?? 0;

  /** One request, processed as the guards do it. A killed worker allows nothing. */
  async function request(worker: Worker, id: string, isTakenBack: boolean): Promise<boolean> {
    const { counter } = worker;
    const log = silentLogger;
    const windowEndsAtMs = (Math.floor((nowMs + worker.offsetMs) / WINDOW_MS) + 1) * WINDOW_MS;
    const tally = tallyOf(id, windowEndsAtMs);
    tally.arrived++;
    const usage = await counter.count('tenant', id, log, { allowed: worker.allowed });
    if (usage && usage.resetsAtMs !== windowEndsAtMs) fault('a request was counted in another window');
    const arrived = tally.arrived;
    await later(pick(50));
    if (!worker.alive) return false;
    const limit = limitOf(id);
    worker.allowed = limit;
    if (isTakenBack) {
      if (usage) await counter.uncount('tenant', id, log, usage);
      return false;
    }
    if (!usage) {
      if (!troubled) fault('Redis answered, and a request was not counted');
      summary.uncounted++;
      return true;
    }
    if (usage.used > limit) {
      if (tally.refused === 0 && arrived < limit * SHARE_LET_IN) {
        fault(`refused at a limit of ${limit} when ${arrived} had come`);
      }
      tally.refused++;
      summary.refused++;
      return false;
    }
    tally.counted++;
    tally.limit = Math.max(tally.limit, limit);
    summary.letIn++;
    return true;
  }

  const startMs = nowMs;
  const someTime = () => {
    const time = startMs + pick(3 * WINDOW_MS);
    // Many events happen near the end of a window.
    return pick(3) === 0 ? Math.round(time / WINDOW_MS) * WINDOW_MS + pick(400) - 200 : time;
  };
  const sometimes = (most: number, event: () => void) => {
    for (let times = pick(most + 1); times > 0; times--) at(someTime(), event);
  };
  const takesBack = pick(3) === 0;
  const requests = Math.min(1500, Math.floor(Math.max(...limits.values()) * (1 + pick(30) / 10)));
  for (let planned = 0; planned < requests; ) {
    const [from, spreadMs, burst] = [someTime(), some([1, 100, 5000, 30_000]), 1 + pick(300)];
    planned += burst;
    const [who, busy] = [some(ids), pick(2) === 0 ? pick(workers.length) : undefined];
    for (let i = 0; i < burst; i++) {
      const isTakenBack = takesBack && pick(5) === 0;
      at(from + pick(spreadMs), () => {
        const worker = workers[busy ?? pick(workers.length)];
        if (worker) void request(worker, who, isTakenBack);
      });
    }
  }
  if (pick(4) > 0) {
    for (let times = pick(4); times > 0; times--) {
      const [from, bad] = [someTime(), some(weathers)];
      at(from, () => {
        troubled = true;
        weather = bad;
      });
      at(from + pick(some([500, 5000, 60_000])), () => {
        weather = fair;
      });
    }
  }
  if (pick(3) === 0) {
    sometimes(2, () => {
      redis.lose();
      life++;
    });
  }
  if (pick(2) === 0) {
    sometimes(some([3, 30, 300]), () => {
      const index = pick(workers.length);
      const killed = workers[index];
      if (killed) killed.alive = false;
      workers[index] = startWorker();
    });
  }
  if (clocksDiffer) {
    sometimes(10, () => {
      some(workers).offsetMs = someOffset();
    });
  }
  if (pick(3) === 0) sometimes(3, () => void limits.set(some(ids), someLimit()));

  try {
    await play();
    // Everything works again, and all workers are alive.
    weather = fair;
    nowMs += 3 * WINDOW_MS;
    for (const id of ids) {
      limits.set(id, Math.max(limitOf(id), workers.length));
      for (const worker of workers) {
        const before = summary.uncounted;
        const answer = request(worker, id, false).then((isLetIn) => {
          if (!isLetIn || summary.uncounted > before) fault(`${id} is not let in any more`);
        });
        await play();
        await answer;
      }
    }
  } finally {
    clock.mockRestore();
  }
  for (const [key, { counted, limit, lives, takenBackLate }] of tallies) {
    const most = limit * Math.max(1, lives.size) + takenBackLate;
    if (counted > most) fault(`${counted} were let in at ${key}, where ${most} may be`);
  }
  return summary;
}

/** Used until a worker has its own. */
const none = {} as Counter; // it is replaced before anyone has the worker
