// Publishes jobs: sends QStash messages that name a due row. Lost, duplicate or late messages do no harm. One message runs all jobs of its
// lane that are due when it arrives (`run-lane.ts`). In a burst of requests that create one job each, a worker sends one message
// immediately, and then one per second.
import type { Client } from '@upstash/qstash';
import QuickLRU from 'quick-lru';
import type { Env } from '../env.ts';
import { errorFields, type Logger } from '../logger.ts';
import { continuedHeaders, inSpan } from '../tracing/scope.ts';

/** A message that announces a due row of `jobs`. Statements select its members under these names. */
export interface JobMessage {
  name: string;
  id: string;
  /** Further jobs of the same name that the message announces. */
  others?: string[];
  /** Seconds until it is due, by the database's clock. Default: 0. QStash counts them from the time when it receives the message. */
  waitSeconds?: number;
  lane?: string | null;
  /** The tenant, if it runs only few jobs of this name at once. */
  tenantId?: string | null;
  /** The row's trace, which the message continues. Null if it has none. Default: the current trace. */
  traceparent?: string | null;
}

/** A lane has one worker at a time, which runs several of its jobs at once (`run-lane.ts`). */
const LANE_PARALLELISM = 1;
const TENANT_PARALLELISM = 4;
const RETRY_AFTER_MS = 200;
const PING_MS = 3000;
/** QStash accepts this many messages in one call. */
const MESSAGES_PER_CALL = 100;

/** Jobs without a lane that are due in large numbers at regular intervals. One message announces several that are due now. */
const SHARING = new Set(['check-provider']);
const JOBS_PER_MESSAGE = 8;

/** Merges the messages of jobs that share messages. */
export function shareMessages(messages: readonly JobMessage[]): JobMessage[] {
  const shared = new Map<string, JobMessage>();
  return messages.flatMap((message) => {
    if (!SHARING.has(message.name) || message.waitSeconds) return [message];
    const open = shared.get(message.name);
    if (open?.others && open.others.length < JOBS_PER_MESSAGE - 1) {
      open.others.push(message.id);
      return [];
    }
    const first = { ...message, others: [] };
    shared.set(message.name, first);
    return [first];
  });
}

/** How many messages of a lane, or of a tenant's jobs of a name, QStash delivers at once. */
function flowControlOf({ name, lane, tenantId }: JobMessage) {
  if (lane) return { flowControl: { key: lane, parallelism: LANE_PARALLELISM } };
  return tenantId ? { flowControl: { key: `${name}-${tenantId}`, parallelism: TENANT_PARALLELISM } } : {};
}

export interface Queue {
  /**
   * Publishes jobs whose transaction is committed. Several jobs of a lane share a message. Never throws, because the sweep publishes
   * missed jobs. Returns whether QStash accepted all messages.
   */
  publish(jobs: JobMessage[], log: Logger): Promise<boolean>;
  /** Makes another worker continue a lane with this job. Returns whether QStash accepted the message. */
  handOff(job: JobMessage, log: Logger): Promise<boolean>;
}

/** A queue that can be checked without a message. */
export interface QStashQueue extends Queue {
  /** Throws if QStash is unreachable or rejects the token. */
  ping(): Promise<void>;
}

/** Public URL of a job's handler. QStash delivers messages to it and signs it. */
export function jobUrl(functionsUrl: string, name: string): string {
  return `${functionsUrl}/callbacks/jobs/${name}`;
}

export function createQueue(env: Env<'qstash'>): QStashQueue {
  let client: Promise<Client> | undefined;
  const connect = async () => {
    const { Client } = await import('@upstash/qstash');
    return new Client({
      baseUrl: env.QSTASH_URL,
      token: env.QSTASH_TOKEN,
      // One retry is cheap and usually avoids waiting for the sweep.
      retry: { retries: 1, backoff: () => RETRY_AFTER_MS },
      enableTelemetry: false,
    });
  };
  const { hostname } = new URL(env.QSTASH_URL);
  /** Sends messages in one span, which is named after the first job. */
  function send(messages: JobMessage[], log: Logger): Promise<boolean> {
    const [first] = messages;
    if (!first) return Promise.resolve(true);
    return inSpan('producer', `publish ${first.name}`, async (span) => {
      span?.set('server.address', hostname);
      const isSent = await sendMessages(messages, log);
      if (!isSent) span?.fail('not_published');
      return isSent;
    });
  }
  async function sendMessages(messages: JobMessage[], log: Logger): Promise<boolean> {
    try {
      client ??= connect();
      await (await client).batchJSON(
        messages.map((message) => ({
          url: jobUrl(env.FUNCTIONS_URL, message.name),
          // The lane of the job, because the job may be gone when the message arrives: a replay replaces it.
          body: {
            id: message.id,
            ...(message.lane && { lane: message.lane }),
            ...(message.others?.length && { others: message.others }),
          },
          retries: 2,
          headers: { ...continuedHeaders(message.traceparent) },
          ...(message.waitSeconds && { delay: message.waitSeconds }),
          ...flowControlOf(message),
        })),
      );
      return true;
    } catch (error) {
      log.warn('jobs not published: the sweep will publish them', {
        messages: messages.length,
        ...errorFields(error),
      });
      return false;
    }
  }
  const lanes = createLaneMessages();
  return {
    async publish(jobs, log) {
      const messages = shareMessages(lanes.choose(jobs));
      let accepted = true;
      for (let from = 0; from < messages.length; from += MESSAGES_PER_CALL)
        accepted = (await send(messages.slice(from, from + MESSAGES_PER_CALL), log)) && accepted;
      if (!accepted) lanes.forget(jobs);
      return accepted;
    },
    handOff: (job, log) => send([job], log),
    async ping() {
      const response = await fetch(`${env.QSTASH_URL}/v2/keys`, {
        headers: { Authorization: `Bearer ${env.QSTASH_TOKEN}` },
        signal: AbortSignal.timeout(PING_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`QStash returned ${response.status}`);
    },
  };
}

/** Interval between messages of a lane. QStash accepts only whole seconds. */
const PAUSE_SECONDS = 1;
/** Maximum entries in memory, one per lane and delay. An evicted entry causes one additional message. */
const MAX_REMEMBERED = 10_000;

interface LaneMessages {
  /** Returns the messages to send for these committed jobs: one per job without a lane, and as few as possible per lane. */
  choose(jobs: readonly JobMessage[]): JobMessage[];
  /** Call this if the messages for these jobs could not be sent. */
  forget(jobs: readonly JobMessage[]): void;
}

/** Jobs of a lane with the same delay can share a message. */
const keyOf = ({ name, lane, waitSeconds = 0 }: JobMessage) => `${name} ${lane} ${waitSeconds}`;

/** `nowMs` is a monotonic clock. */
export function createLaneMessages(nowMs = () => performance.now()): LaneMessages {
  /** When the last message arrives at the earliest, by key. It runs all jobs that are due and committed by then. */
  const arrivesAtMs = new QuickLRU<string, number>({ maxSize: MAX_REMEMBERED });

  function messageFor(job: JobMessage): JobMessage | undefined {
    const { waitSeconds = 0 } = job;
    const key = keyOf(job);
    const dueAtMs = nowMs() + 1000 * waitSeconds;
    const lastMs = arrivesAtMs.get(key) ?? Number.NEGATIVE_INFINITY;
    if (dueAtMs < lastMs) return undefined;
    const pauseSeconds = dueAtMs < lastMs + 1000 * PAUSE_SECONDS ? PAUSE_SECONDS : 0;
    arrivesAtMs.set(key, dueAtMs + 1000 * pauseSeconds);
    return { ...job, waitSeconds: waitSeconds + pauseSeconds };
  }

  return {
    choose(jobs) {
      const seen = new Set<string>();
      return jobs.flatMap((job) => {
        if (!job.lane) return [job];
        const key = keyOf(job);
        if (seen.has(key)) return [];
        seen.add(key);
        return messageFor(job) ?? [];
      });
    },
    forget(jobs) {
      for (const job of jobs) arrivesAtMs.delete(keyOf(job));
    },
  };
}
