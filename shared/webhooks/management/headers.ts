// Headers that a webhook's deliveries carry beside ours, such as a token of the receiver's gateway. Kept like secrets: answers have their
// names alone.
import { z } from 'zod';

const MAX_HEADERS = 10;
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 1024;
/** A token (RFC 9110, section 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, with spaces within. */
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Ours, and those that say how a request is carried: another value would make of it another request. */
const RESERVED = new Set([
  ...['accept', 'accept-encoding', 'date', 'host', 'set-cookie', 'user-agent'],
  ...['connection', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'via'],
  ...['forwarded', 'origin', 'range', 'http2-settings', 'max-forwards'],
]);
const RESERVED_PREFIX = /^(webhook-|x-pay-|x-service-|x-forwarded-|content-|proxy-|sec-)/;

const isReserved = (name: string): boolean => RESERVED.has(name) || RESERVED_PREFIX.test(name);

function faultOf(headers: Readonly<Record<string, unknown>>): { path: string[]; message: string }[] {
  const names = Object.keys(headers);
  const many = names.length > MAX_HEADERS ? [{ path: [], message: `must be at most ${MAX_HEADERS}` }] : [];
  const seen = new Set<string>();
  const faults = names.flatMap((name) => {
    const lower = name.toLowerCase();
    const message = seen.has(lower) ? 'is there twice, in another case' : faultOfOne(lower, headers[name]);
    seen.add(lower);
    return message ? [{ path: [name], message }] : [];
  });
  return [...many, ...faults];
}

function faultOfOne(name: string, value: unknown): string | undefined {
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    return `must have a name of 1 to ${MAX_NAME_LENGTH} letters, digits and signs that headers may have`;
  }
  if (isReserved(name)) return 'is reserved';
  if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH || !VALUE.test(value)) {
    return `must be a text of 1 to ${MAX_VALUE_LENGTH} visible ASCII characters, with spaces within`;
  }
  return undefined;
}

/** Headers by their names. */
export type Headers = Readonly<Record<string, string>>;

/** The member of a body. */
export const headersMember = z
  .custom<Headers>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object of header names and values',
    abort: true,
  })
  .superRefine((headers, ctx) => {
    for (const { path, message } of faultOf(headers)) ctx.addIssue({ code: 'custom', path, message });
  })
  .nullable()
  .optional()
  .describe(
    'Headers that its deliveries carry, by name. Kept like a secret and never shown; all of them are replaced, and a new `url` without `headers` takes them away.',
  )
  .meta({
    type: ['object', 'null'],
    additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_VALUE_LENGTH },
    maxProperties: MAX_HEADERS,
  });
