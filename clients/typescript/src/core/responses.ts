// Builds errors from responses of the three interfaces, each with its own error format.
import { errorOf, type Fault, type PlacarError } from '../errors.ts';
import { parseJson } from './json.ts';

type Json = Record<string, unknown>;

const asObject = (value: unknown): Json =>
  // The test excludes arrays.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function faultsOf(value: unknown): Fault[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => {
    const { field, message, index } = asObject(item);
    const position = typeof index === 'number' ? { index } : {};
    return { ...position, field: asText(field) ?? '', message: asText(message) ?? '' };
  });
}

/** Seconds of `Retry-After`, which is a number or a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Undefined if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Hint for responses that do not come from Placar. */
export const WRONG_ADDRESS = 'Check the option url.';

const unexplained = (status: number): string =>
  status < 400 || status === 404 || status === 405
    ? `HTTP ${status}, not from Placar. ${WRONG_ADDRESS}`
    : `HTTP ${status}.`;

/** Parses `{error: {code, message, details}}`, problem details, and OAuth's `{error, error_description}`. */
export function errorFrom(
  answer: { status: number; headers: Headers; text: string },
  requestId: string,
  redact: (text: string) => string,
): PlacarError {
  const { status, headers } = answer;
  const body = asObject(jsonOf(answer.text));
  const inner = asObject(body.error);
  const code = asText(inner.code) ?? asText(body.code) ?? asText(body.error) ?? `http_${status}`;
  const said =
    asText(inner.message) ?? asText(body.detail) ?? asText(body.error_description) ?? asText(body.message);
  const faults = faultsOf(inner.details ?? body.errors);
  return errorOf(redact(said ?? unexplained(status)), {
    code: redact(code),
    status,
    requestId: headers.get('x-request-id') ?? requestId,
    fields: faults.map((fault) => ({ ...fault, message: redact(fault.message) })),
    retryAfter:
      retryAfterOf(headers) ?? (typeof inner.retry_after === 'number' ? inner.retry_after : undefined),
    existingId: asText(inner.existing_id),
    mergedInto: asText(inner.merged_into),
    retryable: body.retryable === true,
    effect: asText(inner.effect ?? body.effect),
    movedTo: asText(inner.moved_to ?? body.moved_to),
    current: inner.current,
    ...(Array.isArray(inner.results) && { results: inner.results }),
    etag: headers.get('etag') ?? undefined,
  });
}
