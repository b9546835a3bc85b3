// Counters of rate limits, as deployed, with a Redis in this process.
import { type Requester, Redis as UpstashRedis } from '@upstash/redis';
import { createKeyspace, type Keyspace } from '../../../local/emulators/redis/keyspace.ts';
import type { AdaptiveTimeout } from '../../../shared/platform/access/redis-timeout.ts';
import { type Counter, createCounter } from '../../../shared/platform/access/request-counter.ts';

export const TIMEOUT_MS = 1000;

/** Connection of a Redis client to Redis. `carry` decides what happens to a request. */
export function requesterOf(
  execute: (command: string[]) => unknown,
  carry: <T>(carryOut: () => T) => Promise<T>,
): Requester {
  const one = (command: unknown[]) => ({ result: execute(command.map(String)) });
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

/** Runs a command. Throws an error if Redis replies with one. */
export function run(keyspace: Keyspace, [name = '', ...args]: string[]): unknown {
  const reply = keyspace.run(
    name,
    args.map((text) => Buffer.from(text)),
  );
  if (reply instanceof Error) throw reply;
  return Buffer.isBuffer(reply) ? reply.toString() : reply;
}

/** The deployed counter, with another Redis and clock. */
export function counterOf(requester: Requester, timeout: AdaptiveTimeout, nowMs: () => number): Counter {
  const nowhere = { UPSTASH_REDIS_REST_URL: 'http://nowhere.invalid', UPSTASH_REDIS_REST_TOKEN: '' };
  const redis = Promise.resolve(new UpstashRedis(requester));
  return createCounter({ ...nowhere, REDIS_TIMEOUT_MS: TIMEOUT_MS }, { redis, timeout, nowMs });
}

/** Workers with one Redis that always replies, each with its own clock skew. Time is `Date.now()`. */
export function startCounters(...offsetsMs: number[]): Counter[] {
  const keyspace = createKeyspace();
  const requester = requesterOf(
    (command) => run(keyspace, command),
    async (carryOut) => carryOut(),
  );
  const timeout: AdaptiveTimeout = { waitFor: (asked) => asked };
  return offsetsMs.map((offsetMs) => counterOf(requester, timeout, () => Date.now() + offsetMs));
}
