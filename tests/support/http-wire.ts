// A proxy before a part that speaks HTTP: counts requests, and keeps answers until they may go.
import { createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface HttpGate {
  /** Whether answers go to the client; otherwise they are kept. */
  answer?: () => boolean;
  /** Told of each request as it comes. */
  onAsked?: () => void;
}

export interface HttpWire {
  port: number;
  /** Counts from 0 again, and keeps answers for as long as their gate says no. */
  watch(gate?: HttpGate): void;
  /** Asks again whether what is kept may go. */
  recheck(): void;
  /** Passes on what was kept and everything from now on. */
  open(): void;
  /** Requests since `watch`. */
  asked(): number;
  /** Requests since `watch` whose client hung up while their answers had to be kept. */
  hungUp(): number;
  close(): Promise<void>;
}

export async function startHttpWire(target: { host: string; port: number }): Promise<HttpWire> {
  let gate: HttpGate = {};
  const mayAnswer = () => gate.answer?.() ?? true;
  let asked = 0;
  let hungUp = 0;
  const kept = new Set<() => void>();
  const recheck = () => {
    for (const pass of kept) {
      if (!mayAnswer()) return;
      kept.delete(pass);
      pass();
    }
  };
  const watch = (given: HttpGate = {}) => {
    [gate, asked, hungUp] = [given, 0, 0];
  };

  const server = createServer(async (incoming, outgoing) => {
    asked++;
    gate.onAsked?.();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished && !mayAnswer()) hungUp++;
    });
    const body = await buffer(incoming).catch(() => Buffer.alloc(0));
    const { method = 'GET', url: path = '/', headers } = incoming;
    const onward = send({ ...target, method, path, headers, agent: false }, async (response) => {
      const answer = await buffer(response);
      const pass = () => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers).end(answer);
      };
      outgoing.once('close', () => kept.delete(pass));
      kept.add(pass);
      recheck();
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    watch,
    recheck,
    open() {
      gate = {};
      recheck();
    },
    asked: () => asked,
    hungUp: () => hungUp,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
