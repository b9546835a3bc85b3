// Limits the request body bytes in flight, from arrival until the response, per tenant and per worker. Signatures cover the whole body,
// so bodies must be read before requests are counted.
import { ApiError } from '../errors.ts';
import { BODY_DEADLINES, type BodyLimits, MINIMUM_RATE, readBody } from './body.ts';
import type { RequestContext } from './request-context.ts';

const MIB = 1024 * 1024;
const RETRY_AFTER_SECONDS = 1;

/** Maximum bytes in flight. A tenant's limit allows five bodies of the maximum size. */
export const MAX_BYTES_IN_FLIGHT = { tenant: 32 * MIB, worker: 64 * MIB } as const;

interface BodiesInFlight {
  /** Reads the body. Its bytes count until the response is sent. Throws 408, 413, 429 and 503. */
  read(
    request: Request,
    tenantId: string,
    requestContext: Pick<RequestContext, 'releaseBody'>,
  ): Promise<Uint8Array>;
}

const KNOWN_CALLER: BodyLimits = { deadlineMs: BODY_DEADLINES.knownCaller, minimumRate: MINIMUM_RATE };

/** `limits` apply to each body, `max` to all together. */
export function createBodiesInFlight(
  max: { tenant: number; worker: number } = MAX_BYTES_IN_FLIGHT,
  limits: BodyLimits = KNOWN_CALLER,
): BodiesInFlight {
  let workerBytes = 0;
  const tenantBytes = new Map<string, number>();
  const add = (tenantId: string, bytes: number) => {
    workerBytes += bytes;
    const left = (tenantBytes.get(tenantId) ?? 0) + bytes;
    if (left > 0) tenantBytes.set(tenantId, left);
    else tenantBytes.delete(tenantId);
  };

  return {
    async read(request, tenantId, requestContext) {
      let reserved = 0;
      let received = 0;
      requestContext.releaseBody = () => {
        add(tenantId, -reserved);
        reserved = 0;
      };
      const reserve = (bytes: number) => {
        const more = bytes - reserved;
        if (more <= 0) return;
        if ((tenantBytes.get(tenantId) ?? 0) + more > max.tenant) throw tooManyForTenant(max.tenant);
        if (workerBytes + more > max.worker) throw tooManyForWorker();
        add(tenantId, more);
        reserved = bytes;
      };
      // Reserves the declared size immediately. Otherwise many bodies could be half-read when the limit is reached, and all would fail.
      const declared = Number(request.headers.get('content-length') ?? 0);
      if (request.body) reserve(Math.min(declared, limits.maxBytes ?? declared));
      return await readBody(request, {
        ...limits,
        onChunk(bytes) {
          received += bytes;
          reserve(received);
        },
      });
    },
  };
}

function tooManyForTenant(max: number): ApiError {
  const limit = `limit ${max / MIB} MiB`;
  const message = `Too many request bytes in flight for this tenant (${limit}). Nothing was done. Retry after ${RETRY_AFTER_SECONDS} s.`;
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS, reason: 'bodies_in_flight' };
  return new ApiError('rate_limited', message, options);
}

function tooManyForWorker(): ApiError {
  const message = `Too many request bytes in flight. Nothing was done. Retry after ${RETRY_AFTER_SECONDS} s.`;
  const options = {
    effect: 'none',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    reason: 'bodies_in_flight',
  } as const;
  return new ApiError('unavailable', message, options);
}
