// The REST protocol of Upstash Redis (https://upstash.com/docs/redis/features/restapi) in front of a Redis.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Command, CommandError, type Engine, EngineUnavailableError, type Reply } from './engine.ts';
import { createInProcessEngine } from './in-process.ts';
import {
  type Encoding,
  encodeReply,
  findRefusal,
  parseCommand,
  parseCommands,
  RequestError,
} from './json.ts';
import { ScriptTranslator } from './scripts.ts';
import { createTcpEngine } from './tcp.ts';

const SYNC_TOKEN = 'upstash-sync-token';

interface Answer {
  status: number;
  body: unknown;
}

type Operation = (body: unknown, encoding: Encoding) => Promise<Answer>;

/**
 * Starts the REST front, on 127.0.0.1 unless `host` says otherwise. Without `port` a free one is taken; without `redisUrl` the data is an
 * in-memory Redis of this process. `url` and `token` are what `new Redis({ url, token })` takes.
 */
export async function startRedisRest(options: {
  host?: string;
  port?: number;
  token: string;
  redisUrl?: string;
}): Promise<{ url: string; close(): Promise<void> }> {
  const engine = options.redisUrl ? createTcpEngine(options.redisUrl) : createInProcessEngine();
  const operations = createOperations(engine);
  let served = 0;

  const server = createServer((request, response) => {
    served += 1;
    // One Redis is always in step with itself, so the token only has to be there and to grow.
    response.setHeader(SYNC_TOKEN, request.headers[SYNC_TOKEN] || `local-${served}`);
    answer(request, operations, options.token).then(
      (result) => send(response, result),
      (error: unknown) => send(response, describe(error)),
    );
  });
  // Longer than clients keep an idle connection: with Node's five seconds they would now and then use one that is just closed.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The Redis front has no port');

  return {
    url: `http://${options.host ?? '127.0.0.1'}:${address.port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await engine.close();
    },
  };
}

function createOperations(engine: Engine): Map<string, Operation> {
  const scripts = new ScriptTranslator();

  /** A refused command keeps its place among the replies; the others run. */
  const run = async (commands: Command[]): Promise<Reply[]> => {
    const refusals = commands.map(findRefusal);
    const allowed = commands.filter((_, index) => !refusals[index]);
    const replies = await engine.pipeline(allowed.map((command) => scripts.toEngine(command)));
    return refusals.map((refusal) => refusal ?? replies.shift() ?? null);
  };

  const runTransaction = async (commands: Command[]): Promise<Reply> =>
    commands.map(findRefusal).find((refusal) => refusal) ??
    engine.transaction(commands.map((command) => scripts.toEngine(command)));

  return new Map<string, Operation>([
    [
      '/',
      async (body, encoding) => {
        const [reply = null] = await run([parseCommand(body)]);
        return toAnswer(reply, encoding);
      },
    ],
    [
      '/pipeline',
      async (body, encoding) => {
        const replies = await run(parseCommands(body));
        return { status: 200, body: replies.map((reply) => toItem(reply, encoding)) };
      },
    ],
    [
      '/multi-exec',
      async (body, encoding) => {
        const reply = await runTransaction(parseCommands(body));
        if (!Array.isArray(reply)) return toAnswer(reply, encoding);
        return { status: 200, body: reply.map((item) => toItem(item, encoding)) };
      },
    ],
  ]);
}

async function answer(
  request: IncomingMessage,
  operations: Map<string, Operation>,
  token: string,
): Promise<Answer> {
  if (!isAuthorized(request.headers.authorization, token)) {
    return { status: 401, body: { error: 'Unauthorized' } };
  }
  const operation = operations.get((request.url ?? '/').split('?')[0] ?? '/');
  if (!operation) return { status: 404, body: { error: `No such endpoint: ${request.url}` } };
  if (request.method !== 'POST') return { status: 405, body: { error: 'Only POST is served here' } };
  const encoding = request.headers['upstash-encoding'] === 'base64' ? 'base64' : 'text';
  return operation(await readJson(request), encoding);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new RequestError('ERR failed to parse the body as JSON');
  }
}

function isAuthorized(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const toItem = (reply: Reply, encoding: Encoding) =>
  reply instanceof CommandError ? { error: reply.message } : { result: encodeReply(reply, encoding) };

const toAnswer = (reply: Reply, encoding: Encoding): Answer => ({
  status: reply instanceof CommandError ? 400 : 200,
  body: toItem(reply, encoding),
});

function describe(error: unknown): Answer {
  if (error instanceof RequestError) return { status: 400, body: { error: error.message } };
  if (error instanceof EngineUnavailableError) return { status: 503, body: { error: error.message } };
  console.error('The Redis front failed', error);
  return { status: 500, body: { error: 'ERR internal error' } };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
