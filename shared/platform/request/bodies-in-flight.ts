// Bodies of known callers, from when they come until their request is answered: how much of them a tenant and a worker
// hold at once. A signature is over the whole body, so that nobody can be counted before theirs was read.
import { ApiError } from '../errors.ts';
import { BODY_DEADLINES, MINIMUM_RATE, readBody } from './body.ts';
import type { RequestContext } from './request-context.ts';

const MIB = 1024 * 1024;
const RETRY_AFTER_SECONDS = 1;

/** Most bytes of bodies that are under way at once: of a tenant five of the largest, so that a few at once are never refused. */
export const MAX_BYTES_IN_FLIGHT = { tenant: 32 * MIB, worker: 64 * MIB } as const;

export interface BodiesInFlight {
  /** The body's bytes, which count until the request is answered. Throws 408, 413, 429 and 503. */
  read(
    request: Request,
    tenantId: string,
    requestContext: Pick<RequestContext, 'releaseBody'>,
  ): Promise<Uint8Array>;
}

export function createBodiesInFlight(
  most: { tenant: number; worker: number } = MAX_BYTES_IN_FLIGHT,
): BodiesInFlight {
  let ofWorker = 0;
  const ofTenants = new Map<string, number>();
  const add = (tenantId: string, bytes: number) => {
    ofWorker += bytes;
    const left = (ofTenants.get(tenantId) ?? 0) + bytes;
    if (left > 0) ofTenants.set(tenantId, left);
    else ofTenants.delete(tenantId);
  };

  return {
    async read(request, tenantId, requestContext) {
      let held = 0;
      let received = 0;
      requestContext.releaseBody = () => {
        add(tenantId, -held);
        held = 0;
      };
      const hold = (bytes: number) => {
        const more = bytes - held;
        if (more <= 0) return;
        if ((ofTenants.get(tenantId) ?? 0) + more > most.tenant) throw tooManyOfTenant(most.tenant);
        if (ofWorker + more > most.worker) throw tooManyOfAll();
        add(tenantId, more);
        held = bytes;
      };
      // What is announced counts at once: else many bodies would come halfway, and none of them in.
      if (request.body) hold(Number(request.headers.get('content-length') ?? 0));
      return await readBody(request, {
        deadlineMs: BODY_DEADLINES.knownCaller,
        minimumRate: MINIMUM_RATE,
        onChunk(bytes) {
          received += bytes;
          hold(received);
        },
      });
    },
  };
}

function tooManyOfTenant(most: number): ApiError {
  const message = `Bodies of ${most / MIB} MiB are under way for this tenant, which is the most; send fewer at once. Nothing was done.`;
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS, reason: 'bodies_under_way' };
  return new ApiError('rate_limited', message, options);
}

function tooManyOfAll(): ApiError {
  const options = {
    effect: 'none',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    reason: 'bodies_under_way',
  } as const;
  return new ApiError('unavailable', 'Too many bodies are under way. Nothing was done; try again.', options);
}
