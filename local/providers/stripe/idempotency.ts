/** `Idempotency-Key`: the first response, including 5xx, is stored for a day and returned for repeated requests. */
import type { MiddlewareHandler } from 'hono';
import { matches } from '../old/faults.ts';
import { StripeError, serverError } from './errors.ts';
import type { StripeEnvironment } from './requests.ts';
import type { StripeServices } from './services.ts';
import type { Account, IdempotentResponse, InternalFailure } from './state.ts';

const KEPT_MS = 24 * 60 * 60_000;
const MAX_CHARACTERS = 255;

export function idempotencyMiddleware(services: StripeServices): MiddlewareHandler<StripeEnvironment> {
  return async (c, next) => {
    const account = c.get('account');
    const requestId = c.get('requestId');
    const key = c.req.header('idempotency-key');
    const cause = { id: requestId, idempotency_key: key ?? null };
    const run = async () => {
      await withFailure(takeFailure(account, c.req.method, c.req.path), next, (failure) => {
        c.res = failure;
      });
      // The app's error handler renders errors; their kind determines whether they are stored.
      if (!(c.error instanceof StripeError) || c.error.kept) return c.res.clone().text();
      return undefined;
    };
    if (c.req.method !== 'POST' || key === undefined) {
      await services.causes.run(cause, run);
      return;
    }
    if (key.length > MAX_CHARACTERS) {
      const message = `Idempotency keys can have at most ${MAX_CHARACTERS} characters`;
      throw new StripeError(400, message, { type: 'idempotency_error' });
    }
    const form = JSON.stringify(c.get('form'));
    const known = account.idempotency[key];
    if (known !== undefined && known.atMs + KEPT_MS > services.nowMs()) {
      const { status, body } = again(known, key, c.req.path, form);
      c.res = new Response(body, {
        status,
        headers: {
          'content-type': 'application/json',
          'idempotency-key': key,
          'idempotent-replayed': 'true',
          'original-request': known.requestId,
        },
      });
      return;
    }
    const kept: IdempotentResponse = {
      atMs: services.nowMs(),
      path: c.req.path,
      form,
      requestId,
      answer: null,
    };
    account.idempotency[key] = kept;
    const body = await services.causes.run(cause, run);
    if (body === undefined) delete account.idempotency[key];
    else kept.answer = { status: c.res.status, body };
    c.res.headers.set('idempotency-key', key);
    c.res.headers.set('original-request', requestId);
  };
}

function again(
  known: IdempotentResponse,
  key: string,
  path: string,
  form: string,
): { status: number; body: string } {
  const other = `Try using a key other than '${key}' if you meant to execute a different request.`;
  if (known.path !== path) {
    const message = `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${known.path}'). ${other}`;
    throw new StripeError(400, message, { type: 'idempotency_error' });
  }
  if (known.form !== form) {
    const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. ${other}`;
    throw new StripeError(400, message, { type: 'idempotency_error' });
  }
  if (known.answer === null) {
    const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again.`;
    const details = { type: 'idempotency_error', code: 'idempotency_key_in_use' } as const;
    throw new StripeError(409, message, details, { headers: { 'Stripe-Should-Retry': 'true' } });
  }
  return known.answer;
}

function takeFailure(account: Account, method: string, path: string): InternalFailure | undefined {
  if (method !== 'POST') return undefined;
  const failure = account.failures.find((candidate) => matches(candidate.path, path));
  if (failure === undefined) return undefined;
  failure.times -= 1;
  account.failures = account.failures.filter(({ times }) => times > 0);
  return failure;
}

async function withFailure(
  failure: InternalFailure | undefined,
  next: () => Promise<void>,
  fail: (response: Response) => void,
): Promise<void> {
  if (failure === undefined) return next();
  if (failure.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, failure.delayMs));
  if (failure.status === null || failure.taken) await next();
  if (failure.status !== null) fail(serverError(failure.status));
}
