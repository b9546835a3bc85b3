// Counters of rate limits, as deployed, with a Redis in this process.
import { AsyncLocalStorage } from 'node:async_hooks';
// Loaded before the first request, because loading takes no virtual time.
import '@upstash/ratelimit';
import { type Requester, Redis as UpstashRedis } from '@upstash/redis';
import { vi } from 'vitest';
import { execute } from '../../../local/emulators/redis/in-process.ts';
import { createKeyspace, type Keyspace } from '../../../local/emulators/redis/keyspace.ts';
import { createScripts } from '../../../local/emulators/redis/lua.ts';
import { createScriptTranslator } from '../../../local/emulators/redis/scripts.ts';
import type { AdaptiveTimeout } from '../../../shared/platform/access/redis-timeout.ts';
import { type Counter, createCounter } from '../../../shared/platform/access/request-counter.ts';

export const TIMEOUT_MS = 1000;

/** How far the clock of the running worker is ahead. */
const skewMs = new AsyncLocalStorage<() => number>();

/** Gives workers clocks of their own: inside `counterOf`, `Date.now()` is `nowMs` plus their skew. Returns the spy. */
export const skewClocks = (nowMs: () => number) =>
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs() + (skewMs.getStore()?.() ?? 0));

/** Connection of a Redis client to Redis. `carry` decides what happens to a request. Redis has a clock without skew. */
export function requesterOf(
  runCommand: (command: string[]) => unknown,
  carry: <T>(carryOut: () => T) => Promise<T>,
): Requester {
  const one = (command: unknown[]) => ({ result: skewMs.exit(() => runCommand(command.map(String))) });
  return {
    async request<T>({ body }: { body?: unknown }) {
      // The client sends one command or a list of commands, and expects one reply per command.
      const sent = body as unknown[];
      const answer = await carry(() =>
        Array.isArray(sent[0]) ? sent.map((command) => one(command as unknown[])) : one(sent),
      );
      return answer as { result: T };
    },
  };
}

/** A Redis that can lose its data. `onCommand` sees the commands of scripts, too. Throws an error if Redis replies with one. */
export async function startKeyspace(onCommand: (name: string, args: string[]) => void = () => {}) {
  let keyspace = createKeyspace();
  const run: Keyspace['run'] = (name, args) => {
    onCommand(name.toUpperCase(), args.map(String));
    return keyspace.run(name, args);
  };
  const scripts = await createScripts(run);
  const translate = createScriptTranslator();
  return {
    run([name = '', ...args]: string[]): unknown {
      const command = translate([Buffer.from(name), ...args.map((text) => Buffer.from(text))]);
      const reply = execute(command, { ...keyspace, run }, scripts);
      if (reply instanceof Error) throw reply;
      return plain(reply);
    },
    lose() {
      keyspace = createKeyspace();
      scripts.forget();
    },
  };
}

const plain = (reply: unknown): unknown => {
  if (Array.isArray(reply)) return reply.map(plain);
  return Buffer.isBuffer(reply) ? reply.toString() : reply;
};

/** The deployed counter, with another Redis, in a worker whose clock is ahead. */
export function counterOf(requester: Requester, timeout: AdaptiveTimeout, aheadMs: () => number): Counter {
  const nowhere = { UPSTASH_REDIS_REST_URL: 'http://nowhere.invalid', UPSTASH_REDIS_REST_TOKEN: '' };
  const redis = Promise.resolve(new UpstashRedis(requester));
  const counter = createCounter({ ...nowhere, REDIS_TIMEOUT_MS: TIMEOUT_MS }, { redis, timeout });
  return {
    count: (...args) => skewMs.run(aheadMs, () => counter.count(...args)),
    countMany: (...args) => skewMs.run(aheadMs, () => counter.countMany(...args)),
    peek: (...args) => skewMs.run(aheadMs, () => counter.peek(...args)),
    uncount: (...args) => skewMs.run(aheadMs, () => counter.uncount(...args)),
    ping: () => skewMs.run(aheadMs, () => counter.ping()),
  };
}

/** Workers with one Redis that always replies, each with its own clock skew. */
export async function startCounters(...offsetsMs: number[]): Promise<Counter[]> {
  const keyspace = await startKeyspace();
  const requester = requesterOf(keyspace.run, async (carryOut) => carryOut());
  const timeout: AdaptiveTimeout = { waitFor: (asked) => asked };
  return offsetsMs.map((offsetMs) => counterOf(requester, timeout, () => offsetMs));
}
