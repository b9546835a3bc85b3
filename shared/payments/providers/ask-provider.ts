// Asking a provider: bounded in time, and its failures in words that a caller can act on.
import { ApiError } from '../../platform/errors.ts';
import { errorFields, type Logger } from '../../platform/logging/logger.ts';
import { ProviderRefusal, ProviderSilence } from './provider.ts';

/** Longest that one question may take. */
export const PROVIDER_TIMEOUT_MS = 7_000;

/**
 * Throws 502 when the provider refuses, fails or does not answer; the same Idempotency-Key then tries again. The signal
 * says that nobody waits any more: what asks more than once must look at it before it sends.
 */
export async function askProvider<T>(log: Logger, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const waiting = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProviderSilence('no answer in time')), PROVIDER_TIMEOUT_MS);
  });
  try {
    return await Promise.race([ask(waiting.signal), silence]);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    log.warn('provider failed', errorFields(error));
    const refused = error instanceof ProviderRefusal;
    const what = refused ? 'The provider refused the request' : 'The provider did not answer';
    throw new ApiError('provider_error', `${what}. Retry with the same Idempotency-Key.`, {
      reason: refused ? 'provider_refused' : 'provider_silent',
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
}
