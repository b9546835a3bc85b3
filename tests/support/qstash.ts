/** Shared by the tests of the emulator: an emulator, a destination that records its requests, and a clock that tests advance. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Receiver } from '@upstash/qstash';
import { onTestFinished } from 'vitest';
import {
  type Clock,
  type Mail,
  type QstashOptions,
  startQstash,
} from '../../local/emulators/qstash/index.ts';
import type { HttpServer } from '../../local/http-server.ts';
import { LOOPBACK, listen } from '../../local/ports.ts';

export const keys = {
  token: 'token-of-the-tests',
  currentSigningKey: 'sig_current_of_the_tests',
  nextSigningKey: 'sig_next_of_the_tests',
};

export const receiver = new Receiver(keys);

/** A directory that is deleted after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'placar-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

interface Emulator extends HttpServer {
  client: Client;
  stateDir: string;
  mails: Mail[];
  /** Log lines so far. */
  lines: string[];
}

/** An emulator on a free port, closed after the test. `devMode: false` prevents the client from looking for another one. */
export async function startEmulator(options: Partial<QstashOptions> = {}): Promise<Emulator> {
  const stateDir = options.stateDir ?? (await temporaryDirectory());
  const mails: Mail[] = [];
  const lines: string[] = [];
  const qstash = await startQstash({
    ...keys,
    onMail: (mail) => {
      mails.push(mail);
    },
    log: (line) => lines.push(line),
    ...options,
    stateDir,
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= qstash.close();
    return closed;
  };
  onTestFinished(close);
  const client = new Client({ baseUrl: qstash.url, token: keys.token, devMode: false, retry: false });
  return { url: qstash.url, close, client, stateDir, mails, lines };
}

/** A request that a destination received. */
export interface Delivery {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** Responds to the nth delivery, counted from 0. */
export type Respond = (delivery: Delivery, index: number) => Reply | Promise<Reply>;

/** An HTTP server that records its requests, closed after the test. */
export async function startDestination(
  respond: Respond = () => ({ status: 200 }),
): Promise<{ url: string; deliveries: Delivery[] }> {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const delivery = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    const index = deliveries.push(delivery) - 1;
    const { status, headers, body } = await respond(delivery, index);
    response.writeHead(status, headers).end(body);
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://${LOOPBACK}:${port}`, deliveries };
}

/** A clock that stands still until a test advances it. */
export function manualClock(startMs = Date.now()): Clock & { advance(byMs: number): void } {
  let nowMs = startMs;
  const waiting = new Set<{ timeMs: number; task: () => void }>();
  return {
    now: () => nowMs,
    at(timeMs, task) {
      const entry = { timeMs, task };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    advance(byMs) {
      nowMs += byMs;
      for (const entry of [...waiting].sort((a, b) => a.timeMs - b.timeMs)) {
        if (entry.timeMs <= nowMs && waiting.delete(entry)) entry.task();
      }
    },
  };
}
