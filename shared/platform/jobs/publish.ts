// Publishing jobs: QStash messages that name a due row. A message lost, doubled or late changes nothing.

import type { Client } from '@upstash/qstash';
import type { Env } from '../env.ts';
import { errorFields, type Logger } from '../logger.ts';
import { createLaneMessages, type JobMessage } from './lane-messages.ts';

/** A row of `jobs`, as far as its message needs it. */
export interface PublishableJob {
  id: string;
  name: string;
  lane: string | null;
  wait_seconds?: number;
}

/** A lane has one worker at a time, which does a few of its jobs at once (`run-lane.ts`). */
const LANE_PARALLELISM = 1;
const RETRY_AFTER_MS = 200;

/** The messages for these rows. */
export function jobMessagesOf(rows: readonly PublishableJob[]): JobMessage[] {
  return rows.map(({ id, name, lane, wait_seconds: waitSeconds = 0 }) => ({ id, name, lane, waitSeconds }));
}

export interface Queue {
  /**
   * Asks QStash to have these jobs done, whose transaction is committed. Several jobs of a lane share a message. Never throws: what
   * is not published is found by the sweep.
   */
  publish(jobs: JobMessage[], log: Logger): Promise<void>;
  /** Has another worker go on with a lane, with this job of it. Whether QStash was told. */
  handOff(job: JobMessage, log: Logger): Promise<boolean>;
}

/** Public address of a job's handler: where QStash delivers, and what it signs. */
export function jobUrl(functionsUrl: string, name: string): string {
  return `${functionsUrl}/callbacks/jobs/${name}`;
}

export function createQueue(env: Env<'qstash'>): Queue {
  let client: Promise<Client> | undefined;
  const connect = async () => {
    const { Client } = await import('@upstash/qstash');
    return new Client({
      baseUrl: env.QSTASH_URL,
      token: env.QSTASH_TOKEN,
      // One more try costs little and saves the wait for the sweep; after that the sweep is the better try.
      retry: { retries: 1, backoff: () => RETRY_AFTER_MS },
      enableTelemetry: false,
    });
  };
  async function send(messages: JobMessage[], log: Logger): Promise<boolean> {
    if (messages.length === 0) return true;
    try {
      client ??= connect();
      await (await client).batchJSON(
        messages.map(({ name, id, waitSeconds, lane }) => ({
          url: jobUrl(env.FUNCTIONS_URL, name),
          body: { id },
          retries: 2,
          ...(waitSeconds && { delay: waitSeconds }),
          ...(lane && { flowControl: { key: lane, parallelism: LANE_PARALLELISM } }),
        })),
      );
      return true;
    } catch (error) {
      log.warn('jobs not published: the sweep will find them', {
        messages: messages.length,
        ...errorFields(error),
      });
      return false;
    }
  }
  const lanes = createLaneMessages();
  return {
    async publish(jobs, log) {
      const messages = lanes.choose(jobs);
      if (!(await send(messages, log))) lanes.forget(jobs);
    },
    handOff: (job, log) => send([job], log),
  };
}
