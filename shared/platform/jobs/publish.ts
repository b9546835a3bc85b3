// Publishing jobs: QStash messages that name a due row. A message lost, doubled or late changes nothing.
import type { Client } from '@upstash/qstash';
import type { Env } from '../env.ts';
import { errorFields, type Logger } from '../logging/logger.ts';

/** What a message says: which row is due. */
export interface JobMessage {
  name: string;
  id: string;
  /** Seconds until it is due, by the database's clock; at once when absent. QStash counts them from when it is told. */
  waitSeconds?: number;
  lane?: string | null;
}

/** A row of `jobs`, as far as its message needs it. */
export interface PublishableJob {
  id: string;
  name: string;
  lane: string | null;
  wait_seconds?: number;
}

/** How many jobs of one lane run at once. */
const LANE_PARALLELISM = 4;
const RETRY_AFTER_MS = 200;

/** The messages for these rows. */
export function jobMessagesOf(rows: readonly PublishableJob[]): JobMessage[] {
  return rows.map(({ id, name, lane, wait_seconds: waitSeconds = 0 }) => ({ id, name, lane, waitSeconds }));
}

export interface Queue {
  /** Asks QStash to have these jobs done. Never throws: what is not published is found by the sweep. */
  publish(jobs: JobMessage[], log: Logger): Promise<void>;
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
  return {
    async publish(jobs, log) {
      if (jobs.length === 0) return;
      try {
        client ??= connect();
        await (await client).batchJSON(
          jobs.map(({ name, id, waitSeconds, lane }) => ({
            url: jobUrl(env.FUNCTIONS_URL, name),
            body: { id },
            retries: 2,
            ...(waitSeconds && { delay: waitSeconds }),
            ...(lane && { flowControl: { key: lane, parallelism: LANE_PARALLELISM } }),
          })),
        );
      } catch (error) {
        log.warn('jobs not published: the sweep will find them', {
          jobs: jobs.length,
          ...errorFields(error),
        });
      }
    },
  };
}
