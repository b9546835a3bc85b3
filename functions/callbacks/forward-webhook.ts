// Forwards provider webhooks for accounts of tenants that have moved, with unchanged body and headers. The new project verifies them.
import { ApiError } from '../../shared/platform/errors.ts';

const TIMEOUT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;
/** Headers of one connection, and those that the platform adds. */
const OF_THE_CONNECTION =
  /^(host|connection|content-length|content-encoding|transfer-encoding|keep-alive|te|trailer|upgrade|expect|accept-encoding|proxy-.*|x-forwarded-.*|x-real-ip|forwarded|cf-.*|cdn-loop|sb-.*)$/i;

/** Headers of the response that the provider gets. */
const ANSWERED: ReadonlySet<string> = new Set(['content-type', 'retry-after', 'x-request-id']);

/**
 * Returns the response of the project at `movedTo`, a `FUNCTIONS_URL`. If that project accepts the caller, the attempt does not count here
 * either. Throws 503 if it does not respond.
 */
export async function forwardWebhook(
  request: Request,
  body: Uint8Array,
  movedTo: string,
  uncountAttempt: () => void,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  try {
    const answer = await fetch(movedTo + pathname + search, {
      method: request.method,
      headers: keptHeaders(request.headers),
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.ok) uncountAttempt();
    return new Response(await answer.arrayBuffer(), {
      status: answer.status,
      headers: new Headers([...answer.headers].filter(([name]) => ANSWERED.has(name))),
    });
  } catch (cause) {
    throw new ApiError(
      'unavailable',
      `The project that serves this account now does not respond. Retry after ${RETRY_AFTER_SECONDS} s.`,
      {
        effect: 'unknown',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        reason: 'tenant_moved',
        cause,
      },
    );
  }
}

const keptHeaders = (headers: Headers): Headers =>
  new Headers([...headers].filter(([name]) => !OF_THE_CONNECTION.test(name)));
