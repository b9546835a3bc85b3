import { resend } from '@upstash/qstash';
import { describe, expect, test } from 'vitest';
import { keys, manualClock, receiver, startDestination, startEmulator } from '../support/qstash.ts';
import { waitFor } from '../support/wait-for.ts';

const MINUTE_MS = 60_000;

describe('publish', () => {
  test('delivers the body, the forwarded headers and its own headers', async () => {
    const { client } = await startEmulator();
    const { url, deliveries } = await startDestination();
    const { messageId } = await client.publishJSON({
      url: `${url}/jobs/run?name=a%2Fb&x=http://y`,
      body: { amount: 'R$ 10,00 – café' },
      headers: { 'X-Tenant': 'acme' },
      method: 'PUT',
    });
    const delivery = await waitFor(() => deliveries[0]);
    expect(delivery).toMatchObject({ method: 'PUT', path: '/jobs/run?name=a%2Fb&x=http://y' });
    expect(JSON.parse(delivery.body)).toEqual({ amount: 'R$ 10,00 – café' });
    expect(delivery.headers).toMatchObject({
      'content-type': 'application/json',
      'x-tenant': 'acme',
      'upstash-message-id': messageId,
      'upstash-retried': '0',
    });
    expect(delivery.headers.authorization).toBeUndefined();
  });

  test('signs for the destination and the body, with the current key', async () => {
    const { client } = await startEmulator();
    const { url, deliveries } = await startDestination();
    await client.publish({ url: `${url}/signed?a=1`, body: 'exact bytes\n' });
    const { body, headers } = await waitFor(() => deliveries[0]);
    const signature = String(headers['upstash-signature']);
    await expect(receiver.verify({ signature, body, url: `${url}/signed?a=1` })).resolves.toBe(true);
    await expect(receiver.verify({ signature, body: `${body} ` })).rejects.toThrow(
      'body hash does not match',
    );
    await expect(receiver.verify({ signature, body, url: `${url}/other` })).rejects.toThrow(
      'invalid subject',
    );
    const wrongKeys = { currentSigningKey: 'wrong', nextSigningKey: 'wrong as well' };
    const { Receiver } = await import('@upstash/qstash');
    await expect(new Receiver(wrongKeys).verify({ signature, body })).rejects.toThrow(
      'signature verification failed',
    );
    const swapped = { currentSigningKey: 'rotated', nextSigningKey: keys.currentSigningKey };
    await expect(new Receiver(swapped).verify({ signature, body })).resolves.toBe(true);
  });

  test('accepts a batch as a whole', async () => {
    const { client } = await startEmulator();
    const { url, deliveries } = await startDestination();
    const accepted = await client.batchJSON([
      { url: `${url}/one`, body: { n: 1 }, headers: { 'x-n': '1' } },
      { url: `${url}/two`, body: { n: 2 }, deduplicationId: 'two' },
      { url: `${url}/two`, body: { n: 2 }, deduplicationId: 'two' },
    ]);
    await waitFor(() => deliveries.length === 2);
    expect(deliveries.map(({ path, body }) => path + body).sort()).toEqual(['/one{"n":1}', '/two{"n":2}']);
    expect(accepted).toHaveLength(3);
    expect(accepted[2]).toEqual({ ...accepted[1], deduplicated: true });
    await expect(client.batchJSON([{ url: `${url}/good` }, { url: 'ftp://bad' }])).rejects.toThrow(
      'invalid dest',
    );
    expect(deliveries).toHaveLength(2);
  });

  test('holds back a message for its delay or until its time', async () => {
    const clock = manualClock();
    const { client } = await startEmulator({ clock });
    const { url, deliveries } = await startDestination();
    const paths = (): string[] => deliveries.map(({ path }) => path);
    await client.publish({ url: `${url}/delayed`, headers: { 'Upstash-Delay': '1m30s' } });
    await client.publish({
      url: `${url}/at`,
      notBefore: Math.ceil((clock.now() + 3 * MINUTE_MS) / 1000),
      delay: 1,
    });
    await client.publish({ url: `${url}/now` });
    await waitFor(() => paths().length === 1);
    clock.advance(89_000);
    await client.publish({ url: `${url}/now-too` });
    await waitFor(() => paths().length === 2);
    clock.advance(1000);
    await waitFor(() => paths().length === 3);
    clock.advance(2 * MINUTE_MS);
    await waitFor(() => paths().length === 4);
    expect(paths()).toEqual(['/now', '/now-too', '/delayed', '/at']);
  });

  test('drops duplicates for ten minutes', async () => {
    const clock = manualClock();
    const { client, url: base } = await startEmulator({ clock });
    const { url, deliveries } = await startDestination();
    const byId = () => client.publishJSON({ url, body: deliveries.length, deduplicationId: 'once' });
    const first = await byId();
    expect(await byId()).toEqual({ ...first, deduplicated: true });
    const raw = await fetch(`${base}/v2/publish/${url}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.token}`, 'upstash-deduplication-id': 'once' },
    });
    expect(raw.status).toBe(202);
    clock.advance(10 * MINUTE_MS);
    expect((await byId()).messageId).not.toBe(first.messageId);
    await waitFor(() => deliveries.length === 2);
  });

  test('rejects a wrong token and invalid requests', async () => {
    const { url } = await startEmulator();
    const publish = (destination: string, headers: Record<string, string>) =>
      fetch(`${url}/v2/publish/${destination}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.token}`, ...headers },
      }).then(({ status }) => status);
    const good = 'http://127.0.0.1:9/x';
    expect(await publish(good, { authorization: 'Bearer wrong' })).toBe(401);
    expect(await publish(good, { authorization: '' })).toBe(401);
    expect(await publish(encodeURIComponent(good), {})).toBe(400);
    expect(await publish(good, { 'upstash-delay': 'soon' })).toBe(400);
    expect(await publish(good, { 'upstash-retries': '-1' })).toBe(400);
    expect(await publish(good, { 'upstash-delay': '9000h' })).toBe(400);
    expect((await fetch(`${url}/v2/dlq`)).status).toBe(401);
  });

  test('rejects what it does not emulate instead of ignoring it', async () => {
    const { client } = await startEmulator();
    const url = 'http://127.0.0.1:9/x';
    for (const request of [
      { url, callback: url },
      { url, retryDelay: '1000' },
      { url, contentBasedDeduplication: true },
      { url, label: 'a' },
      { url, flowControl: { key: 'bank', rate: 2, period: '1m' as const } },
    ]) {
      await expect(client.publish(request)).rejects.toMatchObject({ status: 400 });
    }
    await expect(client.batchJSON([{ url, queueName: 'a' }])).rejects.toMatchObject({ status: 400 });
  });
});

describe('flow control', () => {
  test('limits a key to its parallelism without delaying others', async () => {
    const { client } = await startEmulator();
    const held: (() => void)[] = [];
    const { url, deliveries } = await startDestination(async ({ path }) => {
      if (path === '/slow') await new Promise<void>((resolve) => held.push(resolve));
      return { status: 200 };
    });
    const flowControl = { key: 'bank', parallelism: 2 };
    await client.batchJSON([1, 2, 3].map(() => ({ url: `${url}/slow`, flowControl })));
    await waitFor(() => held.length === 2);
    await client.publish({ url: `${url}/other` });
    await waitFor(() => deliveries.some(({ path }) => path === '/other'));
    expect(held).toHaveLength(2);
    held[0]?.();
    await waitFor(() => held.length === 3);
    for (const release of held) release();
  });
});

describe('the email provider', () => {
  test('passes emails to the mailbox, and calls no other host', async () => {
    const { client, mails } = await startEmulator();
    const api = { name: 'email' as const, provider: resend({ token: 're_test' }) };
    const from = 'Placar <no-reply@placar.test>';
    const mail = { to: ['ana@acme.test', 'bia@acme.test'], subject: 'Hello', text: 'Olá' };
    await client.publishJSON({ api, body: { ...mail, from } });
    await waitFor(() => mails.length === 1);
    expect(mails).toEqual([mail]);
    await client.publishJSON({ api, body: { subject: 'to nobody' }, retries: 0 });
    const dead = await waitFor(async () => (await client.dlq.listMessages()).messages[0]);
    expect(dead).toMatchObject({ url: 'https://api.resend.com/emails', responseStatus: 422 });
  });
});
