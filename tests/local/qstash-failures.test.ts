import { describe, expect, test } from 'vitest';
import { defaultRetryDelay, parseRetryDelay, retryAfterMs } from '../../local/emulators/qstash/retry.ts';
import { manualClock, startDestination, startEmulator } from '../support/qstash.ts';
import { waitFor } from '../support/wait-for.ts';

const NON_RETRYABLE = { status: 489, headers: { 'Upstash-NonRetryable-Error': 'true' }, body: 'never' };

describe('retries', () => {
  test('follow the expression of the publisher, then leave a dead letter', async () => {
    const clock = manualClock();
    const { client } = await startEmulator({ clock });
    const { url, deliveries } = await startDestination(() => ({ status: 503, body: 'not now' }));
    const { messageId } = await client.publishJSON({
      url,
      body: { n: 1 },
      retries: 2,
      retryDelay: '1000 * (1 + retried)',
      label: 'job',
    });
    for (const [retried, waitMs] of [1000, 2000].entries()) {
      const due = clock.now() + waitMs;
      await waitFor(async () => (await client.messages.get(messageId)).notBefore === due);
      clock.advance(waitMs - 1);
      expect(deliveries).toHaveLength(retried + 1);
      clock.advance(1);
      await waitFor(() => deliveries.length === retried + 2);
    }
    const letter = await waitFor(async () => (await client.dlq.listMessages()).messages[0]);
    expect(deliveries.map(({ headers }) => headers['upstash-retried'])).toEqual(['0', '1', '2']);
    expect(letter).toMatchObject({
      messageId,
      url,
      body: '{"n":1}',
      responseStatus: 503,
      responseBody: 'not now',
    });
    expect(letter).toMatchObject({
      label: 'job',
      maxRetries: 2,
      retryDelayExpression: '1000 * (1 + retried)',
    });
  });

  test('back off as documented when nothing else is said', async () => {
    const clock = manualClock();
    const { client } = await startEmulator({ clock });
    const { url, deliveries } = await startDestination((_, index) => ({ status: index === 0 ? 500 : 204 }));
    const { messageId } = await client.publishJSON({ url });
    await waitFor(async () => (await client.messages.get(messageId)).notBefore === clock.now() + 12_000);
    clock.advance(12_000);
    await waitFor(() => deliveries.length === 2);
    expect([0, 1, 2, 3, 4, 5].map((n) => defaultRetryDelay(n) / 1000)).toEqual([
      12, 148, 1808, 22026, 86400, 86400,
    ]);
  });

  test('wait as long as the destination asks', async () => {
    const clock = manualClock();
    const { client } = await startEmulator({ clock });
    const { url, deliveries } = await startDestination((_, index) =>
      index === 0 ? { status: 429, headers: { 'Retry-After': '7' } } : { status: 200 },
    );
    const { messageId } = await client.publishJSON({ url, retryDelay: '1' });
    await waitFor(async () => (await client.messages.get(messageId)).notBefore === clock.now() + 7000);
    clock.advance(7000);
    await waitFor(() => deliveries.length === 2);
    const nowMs = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterMs('6m5.5s', nowMs)).toBe(365_500);
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:30 GMT', nowMs)).toBe(30_000);
    expect(retryAfterMs('later', nowMs)).toBeUndefined();
  });

  test.each([302, 404, 489])('a status of %i is a failure like any other', async (status) => {
    const { client } = await startEmulator();
    const { url, deliveries } = await startDestination(({ path }) => ({
      status,
      headers: { location: `${path}x` },
    }));
    await client.publishJSON({ url, retries: 1, retryDelay: '20 + retried' });
    const letter = await waitFor(async () => (await client.dlq.listMessages()).messages[0]);
    expect(letter.responseStatus).toBe(status);
    expect(deliveries.map(({ path }) => path)).toEqual(['/', '/']);
  });

  test('stop at once when the destination says that none can help', async () => {
    const { client } = await startEmulator();
    const { url, deliveries } = await startDestination(() => NON_RETRYABLE);
    await client.publishJSON({ url, retries: 5, retryDelay: '0' });
    const letter = await waitFor(async () => (await client.dlq.listMessages()).messages[0]);
    expect(letter).toMatchObject({ responseStatus: 489, responseBody: 'never' });
    expect(deliveries).toHaveLength(1);
  });

  test('count a slow and an absent destination as failures', async () => {
    const { client } = await startEmulator();
    const { url } = await startDestination(() => new Promise(() => {}));
    await client.publishJSON({ url, retries: 0, timeout: 0.05 });
    await client.publishJSON({ url: 'http://127.0.0.1:9/nobody', retries: 0 });
    const letters = await waitFor(async () => {
      const { messages } = await client.dlq.listMessages();
      return messages.length === 2 && messages;
    });
    expect(letters.map(({ responseBody }) => responseBody).join()).toMatch(/too long/);
    expect(letters.map(({ responseBody }) => responseBody).join()).toMatch(/ECONNREFUSED/);
  });

  test('expressions are arithmetic and nothing else', () => {
    expect(parseRetryDelay('1000 * retried + 500 / 2 - -1')(3)).toBe(3251);
    expect(parseRetryDelay('min(pow(2, retried) * 1000, max(1, round(exp(1))) * 1500)')(2)).toBe(4000);
    expect(parseRetryDelay('0 - 5')(0)).toBe(0);
    expect(parseRetryDelay('1 / 0')(0)).toBe(86_400_000);
    for (const bad of ['', 'x', '1 +', '(1', '1 1', 'pow', 'constructor(1)', 'retried.x', '1;2', '2 ** 2']) {
      expect(() => parseRetryDelay(bad), bad).toThrow(SyntaxError);
    }
  });
});

describe('callbacks', () => {
  test('report each outcome, and the last failure with its dead letter', async () => {
    const { client } = await startEmulator();
    const { url, deliveries } = await startDestination(({ path }) =>
      path === '/fail' ? { status: 500, body: 'ouch' } : { status: 200, body: 'fine' },
    );
    const reports = (path: string) => deliveries.filter((delivery) => delivery.path === path);
    const callbacks = { callback: `${url}/callback`, failureCallback: `${url}/failed` };
    const good = await client.publishJSON({
      url,
      body: { n: 1 },
      headers: { 'Upstash-Callback-Forward-X-Run': '7' },
      ...callbacks,
    });
    const report = await waitFor(() => reports('/callback')[0]);
    expect(report.headers['x-run']).toBe('7');
    expect(JSON.parse(report.body)).toMatchObject({
      status: 200,
      body: Buffer.from('fine').toString('base64'),
      sourceMessageId: good.messageId,
      sourceBody: Buffer.from('{"n":1}').toString('base64'),
    });
    await client.publishJSON({ url: `${url}/fail`, retries: 1, retryDelay: '0', ...callbacks });
    const failure = JSON.parse((await waitFor(() => reports('/failed')[0])).body);
    await waitFor(() => reports('/callback').length === 3);
    expect(failure).toMatchObject({ status: 500, retried: 1, maxRetries: 1, url: `${url}/fail` });
    expect((await client.dlq.listMessages()).messages[0]?.dlqId).toBe(failure.dlqId);
  });
});

describe('dead letters', () => {
  test('are listed by page and filter, retried and deleted', async () => {
    const { client } = await startEmulator();
    let healthy = false;
    const { url, deliveries } = await startDestination(() => (healthy ? { status: 200 } : NON_RETRYABLE));
    for (const label of ['a', 'b', 'c']) {
      await client.publishJSON({ url: `${url}/${label}`, label });
      await waitFor(async () => (await client.dlq.listMessages({ filter: { label } })).messages[0]);
    }
    const first = await client.dlq.listMessages({ count: 2 });
    expect(first.messages.map(({ label }) => label)).toEqual(['c', 'b']);
    const rest = await client.dlq.listMessages({ count: 2, cursor: first.cursor ?? '' });
    expect(rest).toMatchObject({ messages: [{ label: 'a' }] });
    expect(rest.cursor).toBeUndefined();

    healthy = true;
    const dlqId = first.messages[0]?.dlqId ?? '';
    const retried = await client.dlq.retry(dlqId);
    await waitFor(() => deliveries.length === 4);
    expect(deliveries[3]?.headers['upstash-message-id']).toBe(retried.responses[0]?.messageId);
    expect(deliveries[3]?.path).toBe('/c');
    expect(await client.dlq.retry([dlqId])).toMatchObject({ responses: [] });

    expect(await client.dlq.delete({ filter: { label: 'b' } })).toMatchObject({ deleted: 1 });
    await client.dlq.delete(rest.messages[0]?.dlqId ?? '');
    expect((await client.dlq.listMessages()).messages).toEqual([]);
    await expect(client.dlq.delete('dlq_unknown')).rejects.toMatchObject({ status: 404 });
  });
});
