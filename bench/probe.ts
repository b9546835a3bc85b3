// A second set of functions that reaches Postgres, Redis and QStash through proxies, to count commands and messages per request
// and network round trips.
import { join } from 'node:path';
import { type FunctionName, functionNames } from '../functions/manifest.ts';
import { startFunction } from '../local/functions.ts';
import { startGateway } from '../local/gateway.ts';
import { median } from './compare.ts';
import { type Counter, qstashMessages, redisCommands, startCounter } from './counter.ts';
import { type DelayProxy, startDelayProxy } from './delay.ts';
import type { Stage } from './stage.ts';

export interface Probe {
  urlOf(name: FunctionName): string;
  /** Counts commands and messages caused by the work, including those after the response. */
  count(work: () => Promise<unknown>): Promise<Asked>;
  /** Round trips: the latency that delays add to `measure`, which returns milliseconds. */
  waits(measure: () => Promise<number>): Promise<Waits>;
  stop(): Promise<void>;
}

export interface Asked {
  redisCommands: number;
  qstashMessages: number;
}

/** Round trips of one request with one or both services delayed. */
export interface Waits {
  postgres: number;
  redis: number;
  both: number;
}

export const DELAY_MS = 30;
/** A request is finished when Redis and QStash have been idle for this long. */
const QUIET_MS = 500;

export async function startProbe({ stack, sql, dir }: Stage): Promise<Probe> {
  const stops: (() => PromiseLike<unknown>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  /** Adds a delay in front of a counter or service. */
  const delayed = async (address: string, port = Number(new URL(address).port)) => {
    const proxy = await startDelayProxy('127.0.0.1', port);
    stops.push(proxy.close);
    return proxy;
  };
  const counted = async (address: string, countOf: typeof redisCommands) => {
    const counter = await startCounter(address, countOf);
    stops.push(counter.close);
    return counter;
  };
  try {
    const { SUPABASE_DB_URL = '', UPSTASH_REDIS_REST_URL = '', QSTASH_URL = '' } = stack.env;
    const commands = await counted(UPSTASH_REDIS_REST_URL, redisCommands);
    const messages = await counted(QSTASH_URL, qstashMessages);
    const database = await delayed(SUPABASE_DB_URL);
    const redis = await delayed(UPSTASH_REDIS_REST_URL, commands.port);
    const functionPorts = new Map<string, number>();
    const gateway = await startGateway(0);
    stops.push(gateway.close);
    const functionsUrl = `${gateway.url}/functions/v1`;
    const env = {
      ...stack.env,
      SUPABASE_DB_URL: at(SUPABASE_DB_URL, database.port),
      UPSTASH_REDIS_REST_URL: at(UPSTASH_REDIS_REST_URL, redis.port),
      QSTASH_URL: at(QSTASH_URL, messages.port),
      FUNCTIONS_URL: functionsUrl,
    };
    for (const name of functionNames) {
      const edge = await startFunction({ name, env, dir: join(dir, 'probe') });
      stops.push(edge.stop);
      functionPorts.set(name, edge.port);
    }
    gateway.open({ functionPorts, apps: {} });
    const announceTo = (url: string) =>
      sql`select admin.call_sweep_from_database(${url}, ${stack.env.SWEEP_TOKEN ?? ''})`;
    await announceTo(functionsUrl);
    stops.push(() => announceTo(stack.env.FUNCTIONS_URL ?? ''));
    return {
      urlOf: (name) => `http://127.0.0.1:${functionPorts.get(name)}`,
      count: (work) => count(commands, messages, work),
      waits: (measure) => waits(database, redis, measure),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function at(address: string, port: number): string {
  const url = new URL(address);
  url.port = String(port);
  return url.href.replace(/\/$/, '');
}

async function count(commands: Counter, messages: Counter, work: () => Promise<unknown>): Promise<Asked> {
  commands.take();
  messages.take();
  await work();
  const workedAt = performance.now();
  const quietSince = () => Math.max(workedAt, commands.lastAt(), messages.lastAt());
  while (performance.now() - quietSince() < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 50));
  return { redisCommands: commands.take(), qstashMessages: messages.take() };
}

async function waits(
  database: DelayProxy,
  redis: DelayProxy,
  measure: () => Promise<number>,
): Promise<Waits> {
  const latency = async (ofDatabase: number, ofRedis: number) => {
    database.delayMs = ofDatabase;
    redis.delayMs = ofRedis;
    return await measure();
  };
  const near = await latency(0, 0);
  const added = (ms: number) => (ms - near) / (2 * DELAY_MS);
  const result = {
    postgres: added(await latency(DELAY_MS, 0)),
    redis: added(await latency(0, DELAY_MS)),
    both: added(await latency(DELAY_MS, DELAY_MS)),
  };
  database.delayMs = 0;
  redis.delayMs = 0;
  return result;
}

/** Median latency of sequential requests. Work after a response does not overlap with the next request. */
export async function medianLatency(probes: number, send: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let probe = 0; probe < probes; probe++) {
    const startedAt = performance.now();
    await send();
    times.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 6 * DELAY_MS));
  }
  return median(times);
}
