// A proxy before a service that speaks HTTP, which counts what its requests ask for.
import { Agent, createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../local/ports.ts';

export interface Counter {
  port: number;
  /** Counted since it was last taken. */
  counted(): number;
  /** The same, and begins anew. */
  take(): number;
  /** When something was last asked, by `performance.now()`. */
  lastAt(): number;
  close(): Promise<void>;
}

/** How much a request counts for. */
export type CountOf = (path: string, body: Buffer) => number;

const lengthOf = (body: Buffer): number => {
  const parsed: unknown = JSON.parse(body.toString());
  return Array.isArray(parsed) ? parsed.length : 1;
};
/** Commands of a request to Redis by Upstash's REST protocol. */
export const redisCommands: CountOf = (path, body) =>
  path === '/pipeline' || path === '/multi-exec' ? lengthOf(body) : 1;
/** Messages that a request to QStash publishes. */
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
