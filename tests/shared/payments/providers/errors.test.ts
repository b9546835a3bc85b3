// The error for a caller when a provider rejects a request or does not respond.
import { afterEach, expect, test, vi } from 'vitest';
import {
  callProvider,
  PROVIDER_TIMEOUT_MS,
  ProviderRejected,
} from '../../../../shared/payments/providers/errors.ts';
import { ApiError } from '../../../../shared/platform/errors.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';

afterEach(() => void vi.useRealTimers());

const ask = (error: Error) =>
  callProvider(silentLogger, async () => {
    throw error;
  });

test('the message of a rejection is returned as one line of at most 300 characters', async () => {
  const words = `Not\r\n this\u0000 one. ${'x'.repeat(1000)}`;
  const begin = 'The provider rejected the request: Not this one. x';
  const error = await ask(new ProviderRejected(words)).catch((reason: ApiError) => reason);
  expect(error).toMatchObject({ code: 'provider_error', extra: { retryable: false } });
  expect(error?.message.startsWith(begin)).toBe(true);
  expect(error?.message).toHaveLength('The provider rejected the request: '.length + 300);
});

test('the message of any other failure is not returned, because it can be retried', async () => {
  const error = await ask(new Error('secret')).catch((reason: ApiError) => reason);
  expect(error).toMatchObject({ code: 'provider_error', extra: { retryable: true } });
  expect(error?.message).not.toContain('secret');
});

test('a provider that does not respond in time counts as silent, and its call is aborted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let signal: AbortSignal | undefined;
  const asking = callProvider(silentLogger, (given) => {
    signal = given;
    return new Promise<never>(() => {});
  });
  const told = expect(asking).rejects.toMatchObject({ extra: { retryable: true } });
  await vi.advanceTimersByTimeAsync(PROVIDER_TIMEOUT_MS - 1);
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await told;
  expect(signal?.aborted).toBe(true);
});

test('our own errors stay unchanged', async () => {
  const own = new ApiError('conflict', 'No.');
  await expect(ask(own)).rejects.toBe(own);
});
