// A proxy in front of an HTTP service that counts requests, and can hold back requests or responses.
import { createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';

interface HttpGate {
  /** Whether the nth request, counted from 1, is sent to the server. Others are never sent. */
  ask?: (nth: number, method: string) => boolean;
  /** Whether the response to the nth request is forwarded to the client. Others are held back. */
  answer?: (nth: number) => boolean;
  /** Called for each incoming request. */
  onAsked?: () => void;
}

interface HttpWireOptions {
  /** The server's own address in response texts is replaced with that of the proxy. */
  renames?: boolean;
}

export interface HttpWire {
  port: number;
  /** Resets the counter, and holds back responses while their gate is closed. */
  watch(gate?: HttpGate): void;
  /** Checks the gates of held responses again. */
  recheck(): void;
  /** Forwards everything that was held back, and everything from now on. */
  open(): void;
  /** Requests since `watch`. */
  asked(): number;
  /** Requests since `watch` whose client closed the connection while the response was held back. */
  hungUp(): number;
  close(): Promise<void>;
}

export async function startHttpWire(
  target: { host: string; port: number },
  { renames = false }: HttpWireOptions = {},
): Promise<HttpWire> {
  let gate: HttpGate = {};
  const mayAnswer = (nth: number) => gate.answer?.(nth) ?? true;
  let asked = 0;
  let hungUp = 0;
  let port = 0;
  const kept = new Map<() => void, number>();
  const recheck = () => {
    for (const [pass, nth] of kept) {
      if (!mayAnswer(nth)) return;
      kept.delete(pass);
      pass();
    }
  };
  const renamed = (answer: Buffer, type = '') =>
    renames && /json|text|html/.test(type)
      ? Buffer.from(answer.toString().replaceAll(`${target.host}:${target.port}`, `${target.host}:${port}`))
      : answer;
  const watch = (given: HttpGate = {}) => {
    [gate, asked, hungUp] = [given, 0, 0];
  };

  const server = createServer(async (incoming, outgoing) => {
    asked++;
    const nth = asked;
    gate.onAsked?.();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished && !mayAnswer(nth)) hungUp++;
    });
    const body = await buffer(incoming).catch(() => Buffer.alloc(0));
    const { method = 'GET', url: path = '/', headers } = incoming;
    if (!(gate.ask?.(nth, method) ?? true)) return;
    const onward = send({ ...target, method, path, headers, agent: false }, async (response) => {
      const answer = renamed(await buffer(response), response.headers['content-type']);
      const { 'content-length': _, 'transfer-encoding': __, ...others } = response.headers;
      const pass = () => {
        outgoing
          .writeHead(response.statusCode ?? 502, { ...others, 'content-length': answer.length })
          .end(answer);
      };
      outgoing.once('close', () => kept.delete(pass));
      kept.set(pass, nth);
      recheck();
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
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
