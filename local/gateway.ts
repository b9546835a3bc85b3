// The public endpoint of the stack, like the gateway of Supabase: routes to functions, Auth and Storage.
import { Agent, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { MAX_BODY_BYTES } from '../shared/platform/request/body.ts';
import { type HttpServer, requireLoopbackHost, serveHttp } from './http-server.ts';
import { LOOPBACK } from './ports.ts';

interface GatewayTargets {
  /** Port of each edge function. */
  functionPorts: Map<string, number>;
  /** Apps in this process by mount path. */
  apps: Record<string, Hono>;
}

interface Gateway extends HttpServer {
  /** Starts routing requests. */
  open(targets: GatewayTargets): void;
}

const FUNCTIONS_PREFIX = '/functions/v1';
/** Functions that are also reachable without the prefix. */
const SHORTCUTS = ['v1', 'oauth', 'mcp'];
/** Headers that belong to one connection or that only the platform may set. */
const NOT_FORWARDED = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'expect',
  'cf-connecting-ip',
];
/**
 * A function receives a head and body of up to this size in a single read. If it responds without reading a larger body, its
 * server closes the connection, which can break the next request on it.
 */
const ONE_READ_BYTES = 4 * 1024;

/** RFC 8414 metadata precedes the path of the issuer. Hosted Supabase does not serve it. */
const METADATA = '/.well-known/oauth-authorization-server';

/** RFC 9728 metadata precedes the path of the resource. Hosted Supabase does not serve it there. */
const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/** The function's name, and the path that begins with it, exactly as sent. */
function route(url: string): { name: string; path: string } | undefined {
  if (url === METADATA || url === `${METADATA}${FUNCTIONS_PREFIX}/oauth`) {
    return { name: 'oauth', path: `/oauth${METADATA}` };
  }
  if (url === `${RESOURCE_METADATA}/mcp` || url === `${RESOURCE_METADATA}${FUNCTIONS_PREFIX}/mcp`) {
    return { name: 'mcp', path: `/mcp${RESOURCE_METADATA}` };
  }
  const [, first = ''] = /^\/([^/?#]+)/.exec(url) ?? [];
  const path = SHORTCUTS.includes(first)
    ? url
    : url.startsWith(`${FUNCTIONS_PREFIX}/`)
      ? url.slice(FUNCTIONS_PREFIX.length)
      : '';
  const [, name] = /^\/([^/?#]+)/.exec(path) ?? [];
  return name ? { name, path } : undefined;
}

/**
 * Listens immediately, so that no other process takes the port during startup, and responds with 503 until `open`. Port 0
 * selects a free port. Throws `EADDRINUSE`.
 */
export async function startGateway(port: number): Promise<Gateway> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  let handle: RequestListener = (_, outgoing) =>
    answer(outgoing, 503, 'BOOT_ERROR', 'The stack is starting. Retry.');
  const server = await serveHttp((incoming, outgoing) => handle(incoming, outgoing), { port });
  return {
    url: server.url,
    open(targets) {
      handle = forwardRequests(targets, agent);
    },
    async close() {
      await server.close();
      agent.destroy();
    },
  };
}

function forwardRequests({ functionPorts, apps }: GatewayTargets, agent: Agent): RequestListener {
  const root = new Hono();
  for (const [path, app] of Object.entries(apps)) root.route(path, app);
  root.notFound((c) => c.json({ message: 'no Route matched with those values' }, 404));
  // Functions require credentials, so they also work behind a tunnel. The console, the mailbox and the emulators do not.
  const serveApps = requireLoopbackHost(getRequestListener(root.fetch));
  return (incoming, outgoing) => {
    const target = route(incoming.url ?? '/');
    if (!target) return void serveApps(incoming, outgoing);
    const functionPort = functionPorts.get(target.name);
    if (functionPort) forward(agent, incoming, outgoing, functionPort, target.path);
    else answer(outgoing, 404, 'NOT_FOUND', 'Requested function was not found');
  };
}

function answer(outgoing: ServerResponse, status: number, code: string, message: string): void {
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 503 && { 'retry-after': '1' }),
  });
  outgoing.end(JSON.stringify({ code, message }));
}

function forward(
  agent: Agent,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  port: number,
  path: string,
): void {
  const headers = { ...incoming.headers };
  for (const name of NOT_FORWARDED) delete headers[name];
  // The function's server would derive a path from an unusual Host header.
  headers.host = `${LOOPBACK}:${port}`;
  const peer = incoming.socket.remoteAddress ?? '';
  headers['cf-connecting-ip'] = peer;
  headers['x-forwarded-for'] = [headers['x-forwarded-for'], peer].filter(Boolean).join(', ');
  const chunked = incoming.headers['transfer-encoding'] !== undefined;
  if (chunked) headers['transfer-encoding'] = 'chunked';

  // Large bodies use their own connection, and are sent only as far as the function reads them.
  const large = chunked || Number(headers['content-length'] ?? 0) > ONE_READ_BYTES;
  if (large) headers.expect = '100-continue';

  let replied = false;
  const upstream = request(
    {
      agent: large ? false : agent,
      host: LOOPBACK,
      port,
      path,
      method: incoming.method,
      headers,
    },
    (reply) => {
      replied = true;
      const replyHeaders = { ...reply.headers };
      for (const name of NOT_FORWARDED) delete replyHeaders[name];
      outgoing.writeHead(reply.statusCode ?? 502, replyHeaders);
      reply.on('error', () => outgoing.destroy());
      reply.pipe(outgoing);
      discardRest();
    },
  );
  const discardRest = () => {
    incoming.unpipe();
    incoming.resume();
  };
  upstream.on('error', () => {
    discardRest();
    if (replied) return;
    answer(outgoing, 503, 'BOOT_ERROR', 'The function is not running at the moment. Retry.');
  });
  outgoing.on('close', () => {
    if (!outgoing.writableFinished || !upstream.writableFinished) upstream.destroy();
  });
  if (large) upstream.once('continue', () => incoming.pipe(upToLimit()).pipe(upstream));
  else incoming.pipe(upstream);
}

/** Passes at most one byte more than a function accepts, which makes it reject the request, and discards the rest. */
function upToLimit(): Transform {
  let left = MAX_BODY_BYTES + 1;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const part = chunk.subarray(0, left);
      left -= part.length;
      done(null, part);
    },
  });
}
