// Webhook endpoints of the TypeScript client in real servers, one per framework, and deliveries for them.
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import {
  expressWebhook,
  honoWebhook,
  nextWebhook,
  type WebhookOptions,
  webhookHandler,
} from '../../../clients/typescript/src/webhooks.ts';
import {
  asymmetricSignature,
  generateSecret,
  generateSigningKey,
  serviceSignature,
  standardSignature,
} from '../../../shared/webhooks/delivery/signed-request.ts';

export const secret = generateSecret();
export const signingKey = generateSigningKey();

/** The endpoint's URL. The server ends with the test. */
type Mount = (options: WebhookOptions) => Promise<string>;

async function urlOf(server: Server): Promise<string> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/hook`;
}

async function served(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = await new Promise<Server>((resolve) => {
    const started = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started as Server));
  });
  return await urlOf(server);
}

/** An Express app. */
export const inExpress = (prepare: (app: express.Express) => void) => {
  const app = express();
  prepare(app);
  return urlOf(createServer(app));
};

/** Every way to mount an endpoint, by name. */
export const mounts: Readonly<Record<string, Mount>> = {
  'a fetch server': async (options) => await served(webhookHandler(options)),
  'Next.js': async (options) => await served(nextWebhook(options)),
  async Hono(options) {
    const app = new Hono();
    app.all('/hook', honoWebhook(options));
    return await served((request) => app.fetch(request));
  },
  Express: async (options) => await inExpress((app) => void app.all('/hook', expressWebhook(options))),
  'Express with express.raw()': async (options) =>
    await inExpress((app) => {
      app.use(express.raw({ type: '*/*', limit: '4mb' }));
      app.all('/hook', expressWebhook(options));
    }),
  'node:http': async (options) => await urlOf(createServer(expressWebhook(options))),
};

/** The factories. They check their options when they are called. */
export const factories = { webhookHandler, nextWebhook, honoWebhook, expressWebhook };

export interface Signed {
  headers: Record<string, string>;
  body: string;
}

/** A delivery, signed with secrets and with `signingKey`, as Placar signs it. */
export function signedEvent(
  id: string,
  {
    secrets = [secret],
    ageSeconds = 0,
    data = {},
  }: { secrets?: string[]; ageSeconds?: number; data?: unknown } = {},
): Signed {
  return signedBody(JSON.stringify({ id, type: 'lead.created', created_at: '', data }), secrets, ageSeconds);
}

export function signedBody(body: string, secrets: string[] = [secret], ageSeconds = 0): Signed {
  const at = Math.floor(Date.now() / 1000) - ageSeconds;
  const bytes = new TextEncoder().encode(body);
  const signatures = [asymmetricSignature(signingKey.privateKey, 'whd_1', at, bytes)];
  if (secrets.length > 0) signatures.unshift(standardSignature(secrets, 'whd_1', at, bytes));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'whd_1',
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
    'x-service-signature': serviceSignature(secrets[0] ?? '', bytes),
  };
  return { headers, body };
}

/** Sends a request. Returns status and text. */
export async function post(url: string, { headers, body }: { headers?: Signed['headers']; body: BodyInit }) {
  const response = await fetch(url, {
    method: 'POST',
    headers: headers ?? {},
    body,
    duplex: 'half',
  } as RequestInit);
  return [response.status, await response.text()];
}

/** Sends half of a body and closes the connection. Resolves when the server has closed it, too. */
export async function abort(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(`POST /hook HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 100\r\n\r\n{"id":`);
  socket.resume().end();
  await closed;
}
