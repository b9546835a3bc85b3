// Emulates the Upstash Redis REST protocol (https://upstash.com/docs/redis/features/restapi) as far as the client uses it
// here: pipelines of commands and scripts. Backed by a Redis in this process or a real one.
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { type HttpServer, serveHttp } from '../../http-server.ts';
import { bearerOf, isOneOf } from '../credentials.ts';
import { CommandError, type Engine, EngineUnavailableError, type Reply } from './engine.ts';
import { createInProcessEngine } from './in-process.ts';
import { type Encoding, encodeReply, parseCommands, RequestError } from './json.ts';
import { createScriptTranslator } from './scripts.ts';
import { createTcpEngine } from './tcp.ts';

interface Answer {
  status: number;
  body: unknown;
}

interface RedisOptions {
  /** Listen address. Default: 127.0.0.1. */
  host?: string | undefined;
  /** Default: a free port, also for 0. */
  port?: number | undefined;
  token: string;
  /** A real Redis. Default: an in-process one, whose data is lost on exit. */
  redisUrl?: string | undefined;
}

/** Starts the emulator. Pass its `url` and the token to `new Redis({ url, token })`. */
export async function startRedis({ host, port, token, redisUrl }: RedisOptions): Promise<HttpServer> {
  const engine = redisUrl ? createTcpEngine(redisUrl) : await createInProcessEngine();
  const runPipeline = createPipeline(engine);
  const server = await serveHttp(
    (request, response) => {
      void answer(request, token, runPipeline)
        .catch(describe)
        .then(({ status, body }) => {
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify(body));
        });
    },
    { host, port },
  );
  return {
    url: server.url,
    async close() {
      await server.close();
      await engine.close();
    },
  };
}

type Pipeline = (body: unknown, encoding: Encoding) => Promise<unknown[]>;

function createPipeline(engine: Engine): Pipeline {
  const translate = createScriptTranslator();
  return async (body, encoding) => {
    const replies = await engine.pipeline(parseCommands(body).map(translate));
    return replies.map((reply) => render(reply, encoding));
  };
}

const render = (reply: Reply, encoding: Encoding) =>
  reply instanceof CommandError ? { error: reply.message } : { result: encodeReply(reply, encoding) };

async function answer(request: IncomingMessage, token: string, run: Pipeline): Promise<Answer> {
  if (!isOneOf([token], bearerOf(request.headers.authorization))) {
    return { status: 401, body: { error: 'Unauthorized' } };
  }
  if (request.method !== 'POST' || request.url !== '/pipeline') {
    return { status: 404, body: { error: `No such endpoint: ${request.method} ${request.url}` } };
  }
  const encoding = request.headers['upstash-encoding'] === 'base64' ? 'base64' : 'text';
  return { status: 200, body: await run(await json(request), encoding) };
}

function describe(error: unknown): Answer {
  if (error instanceof SyntaxError) {
    return { status: 400, body: { error: 'ERR failed to parse the body as JSON' } };
  }
  if (error instanceof RequestError) return { status: 400, body: { error: error.message } };
  if (error instanceof EngineUnavailableError) return { status: 503, body: { error: error.message } };
  console.error('The Redis emulator failed', error);
  return { status: 500, body: { error: 'ERR internal error' } };
}
