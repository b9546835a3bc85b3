// Webhook endpoints of the TypeScript client: the fetch handler as used with Hono, and the Node handler with Express and node:http.
import { createServer } from 'node:http';
import { Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  nodeWebhookHandler,
  type WebhookEvent,
  type WebhookHandlerOptions,
  webhookHandler,
} from '../../../clients/typescript/src/webhook-handlers.ts';
import {
  generateSecret,
  serviceSignature,
  standardSignature,
} from '../../../shared/webhooks/delivery/signed-request.ts';

const secret = generateSecret();
const body = JSON.stringify({
  id: 'evt_1',
  type: 'lead.created',
  created_at: '',
  data: { email: 'é@x.example' },
});
const bytes = new TextEncoder().encode(body);

function signed(): Record<string, string> {
  const at = Math.floor(Date.now() / 1000);
  return {
    'webhook-id': 'whd_1',
    'webhook-timestamp': String(at),
    'webhook-signature': standardSignature([secret], 'whd_1', at, bytes),
    'x-service-signature': serviceSignature(secret, bytes),
  };
}

/** The same handler, mounted in different ways. Returns a URL. */
const mounts: Record<
  string,
  (options: WebhookHandlerOptions) => Promise<(init: RequestInit) => Promise<Response>>
> = {
  async hono(options) {
    const app = new Hono();
    const handler = webhookHandler(options);
    app.all('/hook', (c) => handler(c.req.raw));
    return async (init) => await app.request('http://x.example/hook', init);
  },
  node: async (options) =>
    await listening((request, response) => nodeWebhookHandler(options)(request, response)),
  // As `express.raw()` provides it.
  'node, with the raw body read before': async (options) =>
    await listening(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      await nodeWebhookHandler(options)(Object.assign(request, { body: Buffer.concat(chunks) }), response);
    }),
};

async function listening(handler: Parameters<typeof createServer>[1]) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return (init: RequestInit) => fetch(`http://127.0.0.1:${port}/hook`, init);
}

test.each(Object.keys(mounts))('%s: accepts only verified events', async (name) => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const events: WebhookEvent[] = [];
  let failure: Error | undefined;
  const onEvent = async (event: WebhookEvent) => {
    if (failure) throw failure;
    events.push(event);
  };
  const send = await mounts[name]?.({ secret: () => secret, onEvent });
  if (!send) throw new Error(name);
  const post = async (headers: Record<string, string>, sent: BodyInit = body) =>
    (await send({ method: 'POST', headers, body: sent })).status;

  expect(await post(signed())).toBe(204);
  expect(events).toMatchObject([{ id: 'evt_1', type: 'lead.created' }]);
  expect(await post({ ...signed(), 'webhook-signature': 'v1,AAAA' })).toBe(401);
  expect(await post(signed(), body.replace('evt_1', 'evt_2'))).toBe(401);
  // Without the timestamp headers, an old request could be replayed.
  const { 'x-service-signature': untimed = '' } = signed();
  expect(await post({ 'x-service-signature': untimed })).toBe(401);
  const get = await send({ method: 'GET' });
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  expect(events).toHaveLength(1);
  expect(log).not.toHaveBeenCalled();

  failure = new Error('the database is down');
  expect(await post(signed())).toBe(500);
  expect(log).toHaveBeenCalledWith(failure);
});

test('rejects a body that is too large before reading all of it', async () => {
  let chunks = 0;
  const endless = new ReadableStream({
    pull(controller) {
      chunks++;
      controller.enqueue(new Uint8Array(1024 * 1024));
    },
  });
  const handler = webhookHandler({ secret, onEvent: () => {} });
  const init = { method: 'POST', headers: signed(), body: endless, duplex: 'half' };
  expect((await handler(new Request('http://x.example', init))).status).toBe(413);
  expect(chunks).toBeLessThan(12);
});

test('reports a body that was parsed before the handler to the developer', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const send = await listening((request, response) =>
    nodeWebhookHandler({ secret, onEvent: () => {} })(Object.assign(request, { body: {} }), response),
  );
  expect((await send({ method: 'POST', headers: signed(), body })).status).toBe(500);
  expect(String(log.mock.calls[0]?.[0])).toContain('before express.json()');
});
