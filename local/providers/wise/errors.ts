/** Errors in the four formats of Wise. */
import { randomBytes } from 'node:crypto';
import { EmulatedProviderError } from '../emulated-provider-error.ts';

export interface ErrorItem {
  code: string;
  message: string;
  path?: string;
  arguments?: readonly string[];
}

export const traceId = (): string => randomBytes(16).toString('hex');

const timestamp = (): string => new Date().toISOString();

/** `{timestamp, errors: [{code, message, path, arguments}]}`: validation errors. */
export const invalid = (status: number, errors: ErrorItem[]): EmulatedProviderError =>
  new EmulatedProviderError(status, {
    timestamp: timestamp(),
    errors: errors.map((item) => ({ ...item, arguments: item.arguments ?? [] })),
  });

export const refusal = (
  status: number,
  code: string,
  message: string,
  path?: string,
): EmulatedProviderError =>
  invalid(status, [path === undefined ? { code, message } : { code, message, path, arguments: [path] }]);

/** `{error, error_description}`: authentication errors. */
export const unauthorized = (error: string, description: string): EmulatedProviderError =>
  new EmulatedProviderError(401, { error, error_description: description });

const REASONS: Record<number, string> = {
  403: 'Forbidden',
  404: 'Not Found',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** `{timestamp, status, error, message, path}`: errors that occur before the resource is reached. */
export const systemError = (status: number, message: string, path: string | null): EmulatedProviderError =>
  new EmulatedProviderError(status, {
    timestamp: timestamp(),
    status,
    error: REASONS[status] ?? 'Error',
    message,
    path,
  });

/** The error for another user's profile. */
export const forbidden = (headers: Record<string, string> = {}): EmulatedProviderError =>
  new EmulatedProviderError(
    403,
    { timestamp: timestamp(), status: 403, error: 'unauthorized', message: 'Unauthorized', path: null },
    headers,
  );

/** `{type, status, code, detail}`. */
export const problem = (status: number, code: string, detail: string): EmulatedProviderError =>
  new EmulatedProviderError(status, { type: 'about:blank', status, code, detail });

/** An unknown id. */
export const notFound = (code: string, message: string): EmulatedProviderError => refusal(404, code, message);

export const serverError = (status: number): Response =>
  Response.json(
    {
      timestamp: timestamp(),
      status,
      error: REASONS[status] ?? 'Error',
      message: 'No message available',
      path: null,
    },
    { status, headers: { 'x-trace-id': traceId() } },
  );

/** @param retryAfterS until requests are accepted again */
export const rateLimited = (retryAfterS: number): EmulatedProviderError =>
  new EmulatedProviderError(
    429,
    { error: 'too_many_requests', error_description: 'Rate limit exceeded' },
    { 'retry-after': String(retryAfterS), 'x-rate-limited-by': 'user', 'x-trace-id': traceId() },
  );
