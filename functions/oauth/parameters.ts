// Reads the parameters of a token or revocation request from a form or JSON body.
import { ApiError } from '../../shared/platform/errors.ts';
import { Query } from '../../shared/platform/query.ts';
import { checkEncoding, isJson, mediaTypeOf, parseJsonObject } from '../../shared/platform/request/body.ts';

const tokenParameters = [
  'grant_type',
  'client_id',
  'client_secret',
  'audience',
  'resource',
  'scope',
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'actor_token',
  'actor_token_type',
  'tenant',
] as const;
/** `token_type_hint` has no effect, because all tokens are access tokens. */
export const revocationParameters = ['token', 'token_type_hint', 'client_id', 'client_secret'] as const;
type Name = (typeof tokenParameters)[number] | (typeof revocationParameters)[number];

/** The parameters that have a value. Empty ones count as absent (RFC 6749, section 3.2), and unknown ones are ignored. */
export type TokenParameters = Partial<Record<Name, string>>;

/** Throws 415 for other media types, and `invalid_request` for malformed or repeated parameters (RFC 6749, section 3.2). */
export function readParameters(
  request: Request,
  body: Uint8Array,
  names: readonly Name[] = tokenParameters,
): TokenParameters {
  if (body.byteLength === 0) return {};
  checkEncoding(request);
  const type = mediaTypeOf(request);
  if (type === 'application/x-www-form-urlencoded') return fromForm(body, names);
  if (isJson(type)) return fromJson(body, names);
  throw new ApiError(
    'unsupported_media_type',
    'Send the body as application/x-www-form-urlencoded or application/json.',
  );
}

export const invalidRequest = (message: string) =>
  new ApiError('validation', message, { reason: 'invalid_request' });

function fromForm(body: Uint8Array, names: readonly Name[]): TokenParameters {
  const text = new TextDecoder().decode(body);
  if (new URLSearchParams(text).getAll('resource').length > 1) throw severalResources();
  const form = new Query(text).take(names);
  return collect(names, (name) => form.get(name));
}

/** RFC 8707 lets a client name several resources, and a server refuse a token for all of them. */
const severalResources = () =>
  new ApiError('invalid_target', 'A token is for one resource. Send the parameter resource only once.', {
    reason: 'invalid_target',
  });

function fromJson(body: Uint8Array, names: readonly Name[]): TokenParameters {
  const json = parseJsonObject(body);
  if (Array.isArray(json.resource)) throw severalResources();
  return collect(names, (name) => {
    const value = json[name] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw invalidRequest(`The parameter ${name} must be a string.`);
  });
}

function collect(names: readonly Name[], read: (name: Name) => string | undefined): TokenParameters {
  const parameters: TokenParameters = {};
  for (const name of names) {
    const value = read(name);
    if (value) parameters[name] = value;
  }
  return parameters;
}
