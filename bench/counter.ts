// A proxy in front of an HTTP service that counts operations in its requests.
import { Agent, createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../local/ports.ts';

export interface Counter {
  port: number;
  /** Count since the last `take`. */
  counted(): number;
  /** Returns the count and resets it. */
  take(): number;
  /** Time of the last request, by `performance.now()`. */
  lastAt(): number;
  close(): Promise<void>;
}

/** Number of operations in a request. */
export type CountOf = (path: string, body: Buffer) => number;

const lengthOf = (body: Buffer): number => {
  const parsed: unknown = JSON.parse(body.toString());
  return Array.isArray(parsed) ? parsed.length : 1;
};
/** Commands in a request to the Upstash Redis REST API. */
export const redisCommands: CountOf = (path, body) =>
  path === '/pipeline' || path === '/multi-exec' ? lengthOf(body) : 1;
/** Messages in a publish request to QStash. */
export const qstashMessages: CountOf = (path, body) => {
  if (path.startsWith('/v2/batch')) return lengthOf(body);
  return path.startsWith('/v2/publish/') ? 1 : 0;
};

export async function startCounter(target: string, countOf: CountOf): Promise<Counter> {
  const { hostname: host, port } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  let counted = 0;
  let lastAt = 0;
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path = '/', headers } = incoming;
    const body = await buffer(incoming);
    counted += countOf(path, body);
    lastAt = performance.now();
    const onward = send({ host, port, agent, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  return {
    port: await listen(server),
    counted: () => counted,
    take() {
      const taken = counted;
      counted = 0;
      return taken;
    },
    lastAt: () => lastAt,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
