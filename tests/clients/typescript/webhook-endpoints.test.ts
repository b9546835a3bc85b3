// Webhook endpoints of the TypeScript client, in each framework: what they respond and when they call `onEvent`.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { WebhookEvent, WebhookOptions } from '../../../clients/typescript/src/webhooks.ts';
import { generateSecret, generateSigningKey } from '../../../shared/webhooks/delivery/signed-request.ts';
import { connect, createCredentials } from '../../support/clients/client.ts';
import {
  abort,
  mounts,
  post,
  secret,
  signedBody,
  signedEvent,
  signingKey,
} from '../../support/clients/webhook-endpoints.ts';
import { connectDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const MIB = 1024 * 1024;
const nothing = () => {};

/** Errors that the endpoints log, until the end of the test. */
function loggedErrors() {
  const log = vi.spyOn(console, 'error').mockImplementation(nothing);
  onTestFinished(() => log.mockRestore());
  return log;
}

/** Counts verified signatures, until the end of the test. */
function countVerified(): () => number {
  let count = 0;
  const verify = crypto.subtle.verify.bind(crypto.subtle);
  const spy = vi.spyOn(crypto.subtle, 'verify').mockImplementation(async (...args) => {
    const valid = await verify(...args);
    count++;
    return valid;
  });
  onTestFinished(() => spy.mockRestore());
  return () => count;
}

describe.each(Object.entries(mounts))('in %s', (_, mount) => {
  /** An endpoint, and the events that it got. `fail` is thrown instead of accepting an event. */
  async function start(options: Partial<WebhookOptions> = { secret }) {
    const state = { ids: [] as string[], fail: undefined as Error | undefined };
    const onEvent = async (event: WebhookEvent) => {
      if (state.fail) throw state.fail;
      state.ids.push(event.id);
    };
    return Object.assign(state, { url: await mount({ onEvent, ...options }) });
  }

  test('405 if it is not POST', async () => {
    const { url, ids } = await start();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { headers, body } = signedEvent('evt_1');
      const response = await fetch(url, { method, headers, ...(method === 'PUT' && { body }) });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    }
    expect(ids).toEqual([]);
  });

  test('413 above maxBytes, 1 MiB by default', async () => {
    const { url, ids } = await start();
    const sized = (bytes: number) =>
      signedBody(
        JSON.stringify({ id: 'evt_1', type: 'lead.created', data: '' }).replace(
          '""',
          `"${'x'.repeat(bytes - 46)}"`,
        ),
      );
    expect(sized(MIB).body.length).toBe(MIB);
    expect((await post(url, sized(MIB + 1)))[0]).toBe(413);
    // Without a Content-Length.
    const chunked = () => {
      let sent = 0;
      return new ReadableStream({
        pull: (controller) =>
          sent++ < 20 ? controller.enqueue(new Uint8Array(MIB / 8)) : controller.close(),
      });
    };
    expect((await post(url, { body: chunked() }))[0]).toBe(413);
    expect(ids).toEqual([]);
    expect(await post(url, sized(MIB))).toEqual([204, '']);
    const small = await start({ secret, maxBytes: 10 });
    expect((await post(small.url, signedEvent('evt_1')))[0]).toBe(413);
    const large = await start({ secret, maxBytes: 2 * MIB });
    expect((await post(large.url, sized(2 * MIB)))[0]).toBe(204);
  });

  test('401 with the code if it is not verified', async () => {
    const { url, ids } = await start();
    const delivery = signedEvent('evt_1');
    const { 'x-service-signature': untimed = '' } = delivery.headers;
    const { body } = delivery;
    expect(await post(url, { body })).toEqual([401, 'signature_missing']);
    expect(await post(url, { body, headers: { 'x-service-signature': untimed } })).toEqual([
      401,
      'signature_missing',
    ]);
    expect(await post(url, signedEvent('evt_1', { secrets: [generateSecret()] }))).toEqual([
      401,
      'signature_invalid',
    ]);
    expect(await post(url, { ...delivery, body: body.replace('evt_1', 'evt_2') })).toEqual([
      401,
      'signature_invalid',
    ]);
    expect(await post(url, signedEvent('evt_1', { ageSeconds: 310 }))).toEqual([401, 'timestamp_stale']);
    expect(await post(url, signedBody('[]'))).toEqual([401, 'body_invalid']);
    expect(ids).toEqual([]);
    const lenient = await start({ secret, requireTimestamp: false });
    expect(await post(lenient.url, { body, headers: { 'x-service-signature': untimed } })).toEqual([204, '']);
  });

  test('204 after onEvent, which gets each event once', async () => {
    const { url, ids } = await start();
    const delivery = signedEvent('evt_1', { data: { name: 'é \u{1F600}' } });
    expect(await post(url, delivery)).toEqual([204, '']);
    expect(await post(url, delivery)).toEqual([204, '']);
    expect(await post(url, signedEvent('evt_2'))).toEqual([204, '']);
    expect(ids).toEqual(['evt_1', 'evt_2']);
  });

  test('500 if onEvent throws, without a word of the error; the retry is processed', async () => {
    const log = loggedErrors();
    const endpoint = await start();
    endpoint.fail = new Error('password hunter2 rejected');
    const [status, text] = await post(endpoint.url, signedEvent('evt_1'));
    expect(status).toBe(500);
    expect(text).not.toMatch(/password|hunter2|rejected/);
    expect(log).toHaveBeenCalledWith(endpoint.fail);
    endpoint.fail = undefined;
    expect(await post(endpoint.url, signedEvent('evt_1'))).toEqual([204, '']);
    expect(endpoint.ids).toEqual(['evt_1']);
  });

  test.each([
    ['accepts', 204],
    ['rejects', 500],
  ])('concurrent deliveries of an event share one call that %s it', async (_result, expected) => {
    loggedErrors();
    const verified = countVerified();
    const calls: (() => void)[] = [];
    const onEvent = () =>
      new Promise<void>((resolve, reject) => {
        calls.push(() => (expected === 204 ? resolve() : reject(new Error('down'))));
      });
    const url = await mount({ publicKey: signingKey.publicKey, onEvent });
    const sent = Promise.all([1, 2, 3].map(() => post(url, signedEvent('evt_1'))));
    await waitFor(() => verified() === 3);
    for (const call of calls) call();
    expect((await sent).map(([status]) => status)).toEqual([expected, expected, expected]);
    expect(calls).toHaveLength(1);
    const again = post(url, signedEvent('evt_1'));
    if (expected === 500) (await waitFor(() => calls[1]))();
    expect((await again)[0]).toBe(expected);
    expect(calls).toHaveLength(expected === 204 ? 1 : 2);
  });

  test('an aborted upload does no harm', async () => {
    const { url, ids } = await start();
    await abort(url);
    expect(await post(url, signedEvent('evt_1'))).toEqual([204, '']);
    expect(ids).toEqual(['evt_1']);
  });

  test('several secrets, or a public key', async () => {
    const [old, fresh] = [generateSecret(), generateSecret()];
    const rotating = await start({ secrets: [fresh, '', old] });
    expect(await post(rotating.url, signedEvent('evt_1', { secrets: [old] }))).toEqual([204, '']);
    expect(await post(rotating.url, signedEvent('evt_2', { secrets: [fresh, old] }))).toEqual([204, '']);
    expect((await post(rotating.url, signedEvent('evt_3')))[0]).toBe(401);
    const keyed = await start({ publicKey: signingKey.publicKey });
    expect(await post(keyed.url, signedEvent('evt_1', { secrets: [] }))).toEqual([204, '']);
    const other = await start({ publicKey: generateSigningKey().publicKey });
    expect((await post(other.url, signedEvent('evt_1')))[0]).toBe(401);
  });

  test('receives real deliveries', async () => {
    loggedErrors();
    const endpoint = await start({ secret });
    const placar = connect(await createCredentials(sql));
    const { id } = await placar.webhooks.create({ url: endpoint.url, events: ['lead.created'], secret });
    await placar.leads.create({ name: 'José', email: 'jose@shop.example' });
    await waitFor(() => endpoint.ids.length === 1);
    const delivered = () => placar.webhooks.listDeliveries(id).toArray(10);
    await waitFor(async () => (await delivered())[0]?.response_status === 204);
  });
});
