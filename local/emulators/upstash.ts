// Emulates an Upstash account: Redis and QStash, with the settings that the functions need.
import { join } from 'node:path';
import { onChosenPort } from '../ports.ts';
import type { Secrets } from '../secrets.ts';
import type { Mailbox } from './mailbox.ts';
import { startQstash } from './qstash/index.ts';
import { startRedis } from './redis/index.ts';

interface UpstashOptions {
  /** Folder of the stack. QStash keeps its state in it. */
  dir: string;
  secrets: Secrets;
  /** Receives emails to QStash's email provider. */
  mailbox: Mailbox;
  /** Listen address. Default: 127.0.0.1. */
  host?: string;
  /** Default: free ports. */
  ports?: { redis: number; qstash: number };
  /** A real Redis instead of the in-process one. */
  redisUrl?: string | undefined;
  log?: (line: string) => void;
}

export interface Upstash {
  qstashUrl: string;
  /** Settings for the functions. */
  settings: Record<string, string>;
  close(): Promise<void>;
}

/** Shown in port errors: only this command uses fixed ports; `npm start` uses free ones. */
const COMMAND = 'npm run upstash';

/** Starts both, or neither if one fails. */
export async function startUpstash(options: UpstashOptions): Promise<Upstash> {
  const { dir, secrets, mailbox, host, ports, redisUrl, log } = options;
  const redis = await onChosenPort(
    { port: ports?.redis ?? 0, what: 'Redis', setting: 'UPSTASH_REDIS_PORT', command: COMMAND },
    () => startRedis({ host, port: ports?.redis, token: secrets.redisToken, redisUrl }),
  );
  const qstash = await onChosenPort(
    { port: ports?.qstash ?? 0, what: 'QStash', setting: 'UPSTASH_QSTASH_PORT', command: COMMAND },
    () =>
      startQstash({
        host,
        port: ports?.qstash,
        token: secrets.qstashToken,
        currentSigningKey: secrets.qstashCurrentSigningKey,
        nextSigningKey: secrets.qstashNextSigningKey,
        stateDir: join(dir, 'qstash'),
        onMail: (mail) => mailbox.add(mail),
        log,
      }),
  ).catch(async (error: unknown) => {
    await redis.close();
    throw error;
  });
  return {
    qstashUrl: qstash.url,
    settings: {
      UPSTASH_REDIS_REST_URL: redis.url,
      UPSTASH_REDIS_REST_TOKEN: secrets.redisToken,
      QSTASH_URL: qstash.url,
      QSTASH_TOKEN: secrets.qstashToken,
      QSTASH_CURRENT_SIGNING_KEY: secrets.qstashCurrentSigningKey,
      QSTASH_NEXT_SIGNING_KEY: secrets.qstashNextSigningKey,
    },
    async close() {
      await qstash.close();
      await redis.close();
    },
  };
}
