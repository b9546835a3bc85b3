import { describe, expect, test } from 'vitest';
import { defaultRetryDelayMs, retryAfterMs } from '../../local/emulators/qstash/retry.ts';
import { manualClock, startDestination, startEmulator } from '../support/qstash.ts';
import { waitFor } from '../support/wait-for.ts';

const NON_RETRYABLE = { status: 489, headers: { 'Upstash-NonRetryable-Error': 'true' }, body: 'never' };

describe('retries', () => {
  test('back off as documented, then leave a dead letter', async () => {
    const clock = manualClock();
    const { client, lines } = await startEmulator({ clock });
    const { url, deliveries } = await startDestination(() => ({ status: 503, body: 'not now' }));
    const { messageId } = await client.publishJSON({ url, body: { n: 1 }, retries: 2 });
    for (const [retried, waitMs] of [12_000, 148_000].entries()) {
      await waitFor(() => lines.length === retried + 1);
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
      maxRetries: 2,
      responseStatus: 503,
      responseBody: 'not now',
    });
    expect([0, 1, 2, 3, 4, 5].map((n) => defaultRetryDelayMs(n) / 1000)).toEqual([
      12, 148, 1808, 22026, 86400, 86400,
    ]);
  });

  test('wait as long as the destination requests', async () => {
    const clock = manualClock();
    const { client, lines } = await startEmulator({ clock });
    const { url, deliveries } = await startDestination((_, index) =>
      index === 0 ? { status: 429, headers: { 'Retry-After': '7' } } : { status: 200 },
    );
    await client.publishJSON({ url });
    await waitFor(() => lines.length === 1);
    clock.advance(6999);
    expect(deliveries).toHaveLength(1);
    clock.advance(1);
    await waitFor(() => deliveries.length === 2);
    expect(retryAfterMs('999999')).toBe(86_400_000);
    expect(retryAfterMs('later')).toBeUndefined();
  });

  test.each([302, 404, 489])('a status of %i is a failure like any other', async (status) => {
    const { client } = await startEmulator();
    const { url, deliveries } = await startDestination(({ path }) => ({
      status,
      headers: { location: `${path}x`, 'retry-after': '0' },
    }));
    await client.publishJSON({ url, retries: 1 });
    const letter = await waitFor(async () => (await client.dlq.listMessages()).messages[0]);
    expect(letter.responseStatus).toBe(status);
    expect(deliveries.map(({ path }) => path)).toEqual(['/', '/']);
  });

  test('stop immediately if the destination says that retries cannot help', async () => {
    const { client } = await startEmulator();
    const { url, deliveries } = await startDestination(() => NON_RETRYABLE);
    await client.publishJSON({ url, retries: 5 });
    const letter = await waitFor(async () => (await client.dlq.listMessages()).messages[0]);
    expect(letter).toMatchObject({ responseStatus: 489, responseBody: 'never' });
    expect(deliveries).toHaveLength(1);
  });

  test('treat an unreachable destination as a failure; dead letters are listed newest first', async () => {
    const { client } = await startEmulator();
    const { url } = await startDestination(() => NON_RETRYABLE);
    await client.publishJSON({ url: 'http://127.0.0.1:9/nobody', retries: 0 });
    await waitFor(async () => (await client.dlq.listMessages()).messages[0]);
    await client.publishJSON({ url });
    const letters = await waitFor(async () => {
      const { messages } = await client.dlq.listMessages();
      return messages.length === 2 && messages;
    });
    expect(letters.map(({ responseStatus }) => responseStatus)).toEqual([489, 0]);
    expect(letters[1]?.responseBody).toMatch(/ECONNREFUSED/);
  });
});
