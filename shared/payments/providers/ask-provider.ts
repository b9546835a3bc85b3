// Asking a provider: bounded in time, and its failures in words that a caller can act on.
import { ApiError } from '../../platform/errors.ts';
import { errorFields, type Logger } from '../../platform/logging/logger.ts';
import { ProviderRefusal, ProviderSilence } from './provider.ts';

/** Longest that one question may take. */
export const PROVIDER_TIMEOUT_MS = 7_000;

/**
 * Throws 502 when the provider refuses, fails or does not answer. A refusal says why; after anything else the same
 * Idempotency-Key tries again. The signal
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
    throw error instanceof ProviderRefusal ? refused(error) : silent(error);
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
}

/** Longest that a provider's words are given on. */
const MAX_WORDS_LENGTH = 300;

/** Asked again it says the same: the caller gets its words, as one line. */
function refused(error: ProviderRefusal): ApiError {
  const words = error.message
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS_LENGTH)
    .toWellFormed();
  return new ApiError('provider_error', `The provider refused the request: ${words}`, {
    extra: { retryable: false },
    reason: 'provider_refused',
    cause: error,
  });
}

function silent(cause: unknown): ApiError {
  const message = 'The provider did not answer. Retry with the same Idempotency-Key.';
  return new ApiError('provider_error', message, {
    extra: { retryable: true },
    reason: 'provider_silent',
    cause,
  });
}
