/** The API key with its permissions, and `Idempotency-Key`: the first response, including 5xx, is returned for a day. */
import type { MiddlewareHandler } from 'hono';
import type { Desk } from './desk.ts';
import { StripeError, unauthorized } from './errors.ts';
import { parseForm, type StripeEnvironment } from './requests.ts';
import type { Account, ApiKey, IdempotentResponse } from './state.ts';

export const keyOf = (authorization: string | null | undefined): string =>
  (authorization ?? '').replace(/^Bearer /, '');

const FORM = 'application/x-www-form-urlencoded';
const KEPT_MS = 24 * 60 * 60_000;

export function requireAccess(
  ownerOf: (key: string) => { desk: Desk; key: ApiKey } | undefined,
): MiddlewareHandler<StripeEnvironment> {
  return async (c, next) => {
    const found = ownerOf(keyOf(c.req.header('authorization')));
    if (found === undefined) throw unauthorized('Invalid API Key provided.');
    if (found.key.state === 'expired') throw unauthorized('Expired API Key provided.', 'api_key_expired');
    if (found.key.permissions[c.req.path.split('/')[2] ?? ''] === 'none')
      throw new StripeError(
        403,
        'The provided key does not have the required permissions for this endpoint.',
      );
    const body = await c.req.text();
    if (body !== '' && !c.req.header('content-type')?.startsWith(FORM))
      throw new StripeError(400, `Invalid request (check that your POST content type is ${FORM}).`);
    c.set('desk', found.desk);
    c.set('form', parseForm(c.req.method === 'GET' ? new URL(c.req.url).search.slice(1) : body));
    await next();
  };
}

/** The stored response for the key; undefined if the request has to be executed. */
function storedResponse(account: Account, key: string, path: string, form: string, nowMs: number) {
  const known = account.idempotency[key];
  if (known === undefined || known.atMs + KEPT_MS <= nowMs) return undefined;
  if (known.path !== path || known.form !== form)
    throw new StripeError(
      400,
      'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      { type: 'idempotency_error' },
    );
  if (known.answer === null)
    throw new StripeError(409, 'There is currently another in-progress request using this Idempotent Key.', {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
    });
  return known.answer;
}

export const idempotency: MiddlewareHandler<StripeEnvironment> = async (c, next) => {
  const { account, kit } = c.get('desk');
  const key = c.req.header('idempotency-key');
  if (c.req.method !== 'POST' || key === undefined) return next();
  const form = JSON.stringify(c.get('form'));
  const { path } = c.req;
  const stored = storedResponse(account, key, path, form, kit.clock.now());
  if (stored) {
    const headers = { 'content-type': 'application/json', 'idempotent-replayed': 'true' };
    c.res = new Response(stored.body, { status: stored.status, headers });
    return;
  }
  const kept: IdempotentResponse = { atMs: kit.clock.now(), path, form, answer: null };
  account.idempotency[key] = kept;
  const { inFlightMs } = account.options;
  if (inFlightMs > 0) await new Promise((resolve) => setTimeout(resolve, inFlightMs));
  await next();
  // The app's error handler renders errors; their kind determines whether they are stored.
  if (c.error instanceof StripeError && !c.error.kept) delete account.idempotency[key];
  else kept.answer = { status: c.res.status, body: await c.res.clone().text() };
};
