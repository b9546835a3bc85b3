// Webhook endpoints of the TypeScript client: mistakes of the program, the memory of ids, and a memory of one's own.
import express from 'express';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { recentIds } from '../../../clients/typescript/src/webhooks/receiver.ts';
import {
  expressWebhook,
  honoWebhook,
  OptionsError,
  webhookHandler,
} from '../../../clients/typescript/src/webhooks.ts';
import {
  factories,
  inExpress,
  post,
  type Signed,
  secret,
  signedEvent,
} from '../../support/clients/webhook-endpoints.ts';

const requestOf = ({ headers, body }: Signed) =>
  new Request('http://x.example/hook', { method: 'POST', headers, body });

describe.each(Object.entries(factories))('%s', (_, factory) => {
  const onEvent = () => {};

  test('throws an OptionsError if there is no secret', () => {
    for (const options of [
      {},
      { secret: '' },
      { secret: undefined },
      { secrets: [] },
      { secrets: [''] },
      { publicKey: '' },
    ]) {
      expect(() => factory({ ...options, onEvent })).toThrow(OptionsError);
      expect(() => factory({ ...options, onEvent })).toThrow('secret, secrets or publicKey is required');
    }
  });

  test('throws an OptionsError if publicKey is not a public key, without repeating it', () => {
    expect(() => factory({ publicKey: secret, onEvent })).toThrow(OptionsError);
    expect(() => factory({ publicKey: secret, onEvent })).toThrow(/^publicKey must start with whpk_$/);
  });
});

test.each<[string, (app: express.Express) => unknown]>([
  ['express.json()', (app) => app.use(express.json())],
  ['express.text()', (app) => app.use(express.text({ type: '*/*' }))],
  [
    'a reader that keeps nothing',
    (app) =>
      app.use(async (request, _response, next) => {
        for await (const _chunk of request);
        next();
      }),
  ],
])('Express: an OptionsError reaches `next` after %s', async (_, parse) => {
  const onEvent = vi.fn();
  const errors: unknown[] = [];
  const handleError: express.ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(error);
    response.status(500).send('handled');
  };
  const url = await inExpress((app) => {
    parse(app);
    app.all('/hook', expressWebhook({ secret, onEvent }));
    app.use(handleError);
  });
  expect(await post(url, signedEvent('evt_1'))).toEqual([500, 'handled']);
  expect(errors).toEqual([expect.any(OptionsError)]);
  expect(String(errors[0])).toContain('Mount the handler before express.json()');
  expect(onEvent).not.toHaveBeenCalled();
});

test('Express 4: a parser that has not read the body leaves {}', async () => {
  const onEvent = vi.fn();
  const url = await inExpress((app) => {
    app.use((request, _response, next) => {
      request.body = {};
      next();
    });
    app.all('/hook', expressWebhook({ secret, onEvent }));
  });
  expect(await post(url, signedEvent('evt_1'))).toEqual([204, '']);
  expect(onEvent).toHaveBeenCalledTimes(1);
});

test('fetch and Hono: an OptionsError is thrown if the body was read before', async () => {
  const onEvent = vi.fn();
  const request = requestOf(signedEvent('evt_1'));
  await request.json();
  const handle = webhookHandler({ secret, onEvent });
  await expect(handle(request)).rejects.toBeInstanceOf(OptionsError);
  const readElsewhere = requestOf(signedEvent('evt_1'));
  readElsewhere.body?.getReader();
  await expect(handle(readElsewhere)).rejects.toBeInstanceOf(OptionsError);

  const app = new Hono();
  app.use(async (c, next) => {
    await c.req.json();
    await next();
  });
  app.post('/hook', honoWebhook({ secret, onEvent }));
  app.onError((error, c) => c.text(error.constructor.name, 500));
  const response = await app.request(requestOf(signedEvent('evt_1')));
  expect([response.status, await response.text()]).toEqual([500, 'OptionsError']);
  expect(onEvent).not.toHaveBeenCalled();
});

test('remembers the last 10 000 ids', async () => {
  const { has, add } = recentIds();
  for (let n = 0; n <= 10_000; n++) await add(`evt_${n}`);
  const known = await Promise.all([0, 1, 5000, 10_000].map((n) => has(`evt_${n}`)));
  expect(known).toEqual([false, true, true, true]);
});

test('uses `seen`: asks before onEvent, adds after it, and responds with 500 if it fails', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const steps: string[] = [];
  const ids = new Set(['evt_old']);
  let broken = false;
  const handle = webhookHandler({
    secret,
    onEvent: ({ id }) => void steps.push(`event ${id}`),
    seen: {
      async has(id) {
        steps.push(`has ${id}`);
        return ids.has(id);
      },
      async add(id) {
        if (broken) throw new Error('Redis is down');
        steps.push(`add ${id}`);
        ids.add(id);
      },
    },
  });
  const send = async (id: string) => (await handle(requestOf(signedEvent(id)))).status;
  expect([await send('evt_old'), await send('evt_1'), await send('evt_1')]).toEqual([204, 204, 204]);
  expect(steps).toEqual(['has evt_old', 'has evt_1', 'event evt_1', 'add evt_1', 'has evt_1']);
  broken = true;
  expect(await send('evt_2')).toBe(500);
});
