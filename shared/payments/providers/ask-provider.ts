// Asking a provider: bounded in time, and its failures in words that a caller can act on.
import { ApiError } from '../../platform/errors.ts';
import { errorFields, type Logger } from '../../platform/logger.ts';
import { orTimeout } from '../../platform/waits.ts';
import { invalidFields } from '../requests/errors.ts';
import {
  InvalidOrder,
  ProviderBusy,
  ProviderKeyRefused,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from './provider.ts';

/** Longest that one question may take, with all the calls that it needs. */
export const PROVIDER_TIMEOUT_MS = 18_000;
const RETRY_AFTER_SECONDS = 60;

/**
 * Throws 502 when the provider refuses, fails or does not answer, and 422 for an order that it cannot take. A refusal says why;
 * after anything else the same Idempotency-Key tries again. The signal says that nobody waits any more: what asks more than once
 * looks at it before it sends.
 */
export async function askProvider<T>(
  log: Logger,
  ask: (signal: AbortSignal) => Promise<T>,
  timeLeftMs = PROVIDER_TIMEOUT_MS,
): Promise<T> {
  const waiting = new AbortController();
  const timeoutMs = Math.min(timeLeftMs, PROVIDER_TIMEOUT_MS);
  try {
    return await orTimeout(
      ask(waiting.signal),
      timeoutMs,
      () => new ProviderOutcomeUnknown('no answer in time'),
    );
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof InvalidOrder) throw invalidOrder(error);
    log.warn('provider failed', errorFields(error));
    throw toApiError(error);
  } finally {
    waiting.abort();
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ProviderRejected) return refused(error);
  if (error instanceof ProviderKeyRefused)
    return later(error, 'The provider does not take the key of the account.', RETRY_AFTER_SECONDS);
  if (error instanceof ProviderBusy)
    return later(error, 'The provider has too much to do.', error.retryAfterSeconds ?? RETRY_AFTER_SECONDS);
  return silent(error);
}

/** Whether it is certain that the provider did nothing, so that the order may be sent again without looking for it. */
export const provesNothingDone = (error: unknown): boolean =>
  error instanceof ApiError && isCertainlyNotDone(error.cause);

/** The same of what a provider threw. */
export const isCertainlyNotDone = (error: unknown): boolean =>
  [InvalidOrder, ProviderRejected, ProviderKeyRefused, ProviderBusy].some((kind) => error instanceof kind);

/** Whether nobody knows what the provider did. */
export const outcomeIsUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'provider_error' && !provesNothingDone(error);

/** Whether the account's key has stopped working. */
export const keyWasRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.cause instanceof ProviderKeyRefused;

/** Longest that a provider's words are given on. */
const MAX_WORDS_LENGTH = 300;

/** Words of a provider as one line of a length that can be kept and shown. */
export const toOneLine = (words: string): string =>
  words
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS_LENGTH)
    .toWellFormed();

/** Asked again it says the same: the caller gets its words. */
function refused(error: ProviderRejected): ApiError {
  return new ApiError('provider_error', `The provider refused the request: ${toOneLine(error.message)}`, {
    extra: { retryable: false },
    reason: 'provider_refused',
    cause: error,
  });
}

function invalidOrder(error: InvalidOrder): ApiError {
  const { message, details } = invalidFields([...error.faults]);
  return new ApiError('validation', message, { ...(details && { details }), cause: error });
}

function later(cause: Error, why: string, retryAfterSeconds: number): ApiError {
  return new ApiError('provider_error', `${why} Retry with the same Idempotency-Key.`, {
    extra: { retryable: true },
    retryAfterSeconds: Math.min(retryAfterSeconds, 3600),
    reason: 'provider_not_ready',
    cause,
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
