// Errors of payment providers, each of which says whether anything was done, and `callProvider`, which maps them to API errors.
import { ApiError } from '../../platform/errors.ts';
import { errorFields, type Logger } from '../../platform/logger.ts';
import { orTimeout } from '../../platform/waits.ts';
import { invalidFields } from '../requests/errors.ts';

/** The provider rejected the request. Nothing was done. */
export class ProviderRejected extends Error {
  override readonly name: string = 'ProviderRejected';
}

/** The provider cannot refund the invoice, for a reason that callers can tell apart. Nothing was done. */
export class RefundRejected extends ProviderRejected {
  override readonly name = 'RefundRejected';
  readonly code: 'insufficient_balance' | 'refund_window_expired';
  constructor(code: RefundRejected['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The provider rejects the account's API key. Nothing was done. */
export class ProviderKeyRejected extends Error {
  override readonly name = 'ProviderKeyRejected';
}

/** The provider is temporarily refusing requests, for example because of rate limiting. Nothing was done. */
export class ProviderBusy extends Error {
  override readonly name = 'ProviderBusy';
  /** Seconds until a retry, if the provider specified it. */
  readonly retryAfterSeconds: number | undefined;
  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The provider did not respond in time and may have executed the request. Look the order up before sending it again. */
export class ProviderOutcomeUnknown extends Error {
  override readonly name = 'ProviderOutcomeUnknown';
}

/** Like the above, because the provider sent no response or a 5xx. After several in a row, the account is marked as failing. */
export class ProviderUnreachable extends ProviderOutcomeUnknown {}

/** The order lacks a field that this provider requires, or has an unsupported value. Nothing was done. */
export class InvalidOrder extends Error {
  override readonly name = 'InvalidOrder';
  /** Invalid request fields, such as `customer.tax_id`, each with the violated rule. */
  readonly faults: readonly { field: string; message: string }[];
  constructor(faults: readonly { field: string; message: string }[]) {
    super(faults.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.faults = faults;
  }
}

/** Timeout of one operation, including all its requests. */
export const PROVIDER_TIMEOUT_MS = 18_000;
const RETRY_AFTER_SECONDS = 60;

/**
 * Throws 502 if the provider rejects the request, fails or does not respond, and 422 for an order that it does not accept. A rejection
 * includes the provider's message; other failures can be retried with the same Idempotency-Key. The signal aborts when the caller stops
 * waiting: operations that send several requests check it before each one.
 */
export async function callProvider<T>(
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
      () => new ProviderUnreachable('no response in time'),
    );
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof InvalidOrder) throw invalidOrder(error);
    log.warn('provider call failed', errorFields(error));
    throw toApiError(error);
  } finally {
    waiting.abort();
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof RefundRejected) return new ApiError(error.code, error.message, { cause: error });
  if (error instanceof ProviderRejected) return rejected(error);
  if (error instanceof ProviderKeyRejected)
    return retryLater(error, 'The provider rejects the API key of the account.', RETRY_AFTER_SECONDS);
  if (error instanceof ProviderBusy)
    return retryLater(
      error,
      'The provider is rate limiting us.',
      error.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
    );
  return noResponse(error);
}

/** Whether the provider certainly did nothing, so that the order can be sent again without a lookup. */
export const isDefiniteFailure = (error: unknown): boolean =>
  error instanceof ApiError && isDefiniteProviderFailure(error.cause);

/** Whether the provider rejected the request or order, as it would a retry. Nothing was done. */
export const isRejection = (error: unknown): error is ProviderRejected | InvalidOrder =>
  error instanceof ProviderRejected || error instanceof InvalidOrder;

/** Like `isDefiniteFailure`, for an error thrown by a provider. */
export const isDefiniteProviderFailure = (error: unknown): boolean =>
  [InvalidOrder, ProviderRejected, ProviderKeyRejected, ProviderBusy].some((kind) => error instanceof kind);

/** Whether the provider may or may not have executed the request. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'provider_error' && !isDefiniteFailure(error);

/** Whether the provider rejected the account's API key. */
export const isKeyRejected = (error: unknown): boolean =>
  error instanceof ApiError && error.cause instanceof ProviderKeyRejected;

/** Whether the provider sent no response, or one with a 5xx status. */
export function isProviderUnreachable(error: unknown): boolean {
  if (error instanceof ProviderUnreachable) return true;
  return error instanceof Error && error.cause !== undefined && isProviderUnreachable(error.cause);
}

/** Whether the provider rejected the order or rate limited us. */
export const isOrderRejected = (error: unknown): boolean =>
  error instanceof ApiError
    ? isOrderRejected(error.cause)
    : error instanceof ProviderRejected || error instanceof ProviderBusy;

/** Maximum length of a provider's message that we store and return. */
const MAX_MESSAGE_LENGTH = 300;

/** A provider's message as one line of at most `maxLength` characters. */
export const toOneLine = (words: string, maxLength = MAX_MESSAGE_LENGTH): string =>
  words
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();

/** A retry would be rejected as well, so the caller gets the provider's message. */
function rejected(error: ProviderRejected): ApiError {
  return new ApiError('provider_error', `The provider rejected the request: ${toOneLine(error.message)}`, {
    extra: { retryable: false },
    reason: 'provider_refused',
    cause: error,
  });
}

function invalidOrder(error: InvalidOrder): ApiError {
  const { message, details } = invalidFields([...error.faults]);
  return new ApiError('validation', message, { ...(details && { details }), cause: error });
}

function retryLater(cause: Error, why: string, retryAfterSeconds: number): ApiError {
  return new ApiError('provider_error', `${why} Retry with the same Idempotency-Key.`, {
    extra: { retryable: true },
    retryAfterSeconds: Math.min(retryAfterSeconds, 3600),
    reason: 'provider_not_ready',
    cause,
  });
}

function noResponse(cause: unknown): ApiError {
  const message = 'The provider did not respond. Retry with the same Idempotency-Key.';
  return new ApiError('provider_error', message, {
    extra: { retryable: true },
    reason: 'provider_silent',
    cause,
  });
}
