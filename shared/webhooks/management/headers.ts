// Custom headers of a webhook's deliveries, such as a token for the receiver's gateway. Values are stored like secrets; responses
// contain only the names.
import { plainObject } from '../../platform/validation.ts';

const MAX_HEADERS = 10;
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 1024;
/** A token (RFC 9110, section 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Printable ASCII, without spaces at the start or end. */
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that we set, and headers that control how the request is transmitted. */
const RESERVED = new Set([
  ...['accept', 'accept-encoding', 'date', 'host', 'set-cookie', 'user-agent'],
  ...['connection', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'via'],
  ...['forwarded', 'origin', 'range', 'http2-settings', 'max-forwards'],
  ...['traceparent', 'tracestate', 'baggage'],
]);
const RESERVED_PREFIX = /^(webhook-|x-pay-|x-service-|x-forwarded-|content-|proxy-|sec-)/;

const isReserved = (name: string): boolean => RESERVED.has(name) || RESERVED_PREFIX.test(name);

function headersFaults(headers: Readonly<Record<string, unknown>>): { path: string[]; message: string }[] {
  const names = Object.keys(headers);
  const tooMany =
    names.length > MAX_HEADERS ? [{ path: [], message: `must have at most ${MAX_HEADERS} headers` }] : [];
  const seen = new Set<string>();
  const faults = names.flatMap((name) => {
    const lower = name.toLowerCase();
    const message = seen.has(lower)
      ? 'is a duplicate: header names are case-insensitive'
      : headerError(lower, headers[name]);
    seen.add(lower);
    return message ? [{ path: [name], message }] : [];
  });
  return [...tooMany, ...faults];
}

function headerError(name: string, value: unknown): string | undefined {
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    return `must have a valid header name of 1 to ${MAX_NAME_LENGTH} characters`;
  }
  if (isReserved(name)) return 'is reserved';
  if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH || !VALUE.test(value)) {
    return `must be text of 1 to ${MAX_VALUE_LENGTH} printable ASCII characters, without spaces at the start or end`;
  }
  return undefined;
}

/** Header values by name. */
export type Headers = Readonly<Record<string, string>>;

/** The member `headers` of a request body. */
export const headersMember = plainObject<Headers>('must be an object of header names and values')
  .superRefine((headers, ctx) => {
    for (const { path, message } of headersFaults(headers)) ctx.addIssue({ code: 'custom', path, message });
  })
  .nullable()
  .optional()
  .describe(
    'Custom headers of the deliveries, by name. Values are stored like secrets and never returned. A change replaces all headers; ' +
      'changing `url` without `headers` removes them.',
  )
  .meta({
    type: ['object', 'null'],
    additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_VALUE_LENGTH },
    maxProperties: MAX_HEADERS,
  });
