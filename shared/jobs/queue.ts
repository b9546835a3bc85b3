// Waking work up: QStash messages that name a row. A message lost, doubled or late changes nothing.
import type { Client } from '@upstash/qstash';
import type { Env } from '../env.ts';
import { errorFields, type Logger } from '../log.ts';

export interface Wake {
  name: string;
  id: string;
  /** Not before then; at once when absent. */
  at?: Date;
}

export interface Queue {
  /** Asks QStash to have these jobs done. Never throws: what is not announced is found by the sweep. */
  wake(jobs: Wake[], log: Logger): Promise<void>;
}

/** Public address of a job's handler: where QStash delivers, and what it signs. */
export function jobUrl(functionsUrl: string, name: string): string {
  return `${functionsUrl}/callbacks/jobs/${name}`;
}

export function createQueue(env: Env<'qstash'>): Queue {
  let client: Promise<Client> | undefined;
  const connect = async () => {
    const { Client } = await import('@upstash/qstash');
    // The row is tried again by its own schedule, so neither the client nor a message needs many tries.
    return new Client({
      baseUrl: env.QSTASH_URL,
      token: env.QSTASH_TOKEN,
      retry: false,
      enableTelemetry: false,
    });
  };
  return {
    async wake(jobs, log) {
      if (jobs.length === 0) return;
      try {
        client ??= connect();
        await (await client).batchJSON(
          jobs.map(({ name, id, at }) => ({
            url: jobUrl(env.FUNCTIONS_URL, name),
            body: { id },
            retries: 2,
            ...(at && { notBefore: Math.ceil(at.getTime() / 1000) }),
          })),
        );
      } catch (error) {
        log.warn('jobs not announced: the sweep will find them', {
          jobs: jobs.length,
          ...errorFields(error),
        });
      }
    },
  };
}
