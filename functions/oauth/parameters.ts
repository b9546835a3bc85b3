// The parameters of a token request, from a form or from JSON.
import { ApiError } from '../../shared/platform/errors.ts';
import { checkEncoding, isJson, mediaTypeOf, parseJsonObject } from '../../shared/platform/http/body.ts';
import { Query } from '../../shared/platform/http/query.ts';

const names = ['grant_type', 'client_id', 'client_secret', 'audience', 'scope'] as const;
type Name = (typeof names)[number];

/** Those that were sent with a value; an empty one is as absent (RFC 6749, section 3.2), and others are ignored. */
export type TokenParameters = Partial<Record<Name, string>>;

/** Throws 415 for other media types, `invalid_request` for what cannot be read or comes twice (RFC 6749, section 3.2). */
export function readParameters(request: Request, body: Uint8Array): TokenParameters {
  if (body.byteLength === 0) return {};
  checkEncoding(request);
  const type = mediaTypeOf(request);
  if (type === 'application/x-www-form-urlencoded') return fromForm(body);
  if (isJson(type)) return fromJson(body);
  throw new ApiError(
    'unsupported_media_type',
    'Send the body as application/x-www-form-urlencoded or application/json.',
  );
}

export const invalidRequest = (message: string) =>
  new ApiError('validation', message, { reason: 'invalid_request' });

function fromForm(body: Uint8Array): TokenParameters {
  const form = new Query(new TextDecoder().decode(body)).take(names);
  return collect((name) => form.get(name));
}

function fromJson(body: Uint8Array): TokenParameters {
  const json = parseJsonObject(body);
  return collect((name) => {
    const value = json[name] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw invalidRequest(`The parameter ${name} must be text.`);
  });
}

function collect(read: (name: Name) => string | undefined): TokenParameters {
  const parameters: TokenParameters = {};
  for (const name of names) {
    const value = read(name);
    if (value) parameters[name] = value;
  }
  return parameters;
}
