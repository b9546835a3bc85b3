// The options of GET endpoints of payments, and POST endpoints. Each POST requires an Idempotency-Key and replays the first response
// when a request is repeated.

import type { Snapshot } from '../../shared/payments/idempotency/queries.ts';
import type {
  Attempt,
  Completed,
  IdempotentOutcome,
  IdempotentRequest,
} from '../../shared/payments/idempotency/with-idempotency-key.ts';
import type { Context, EndpointResponse } from '../../shared/platform/access/context.ts';
import type { Scope } from '../../shared/platform/access/scopes.ts';
import { sha256Hex } from '../../shared/platform/crypto.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type Endpoint, type EndpointRequest, endpoint } from '../../shared/platform/http/endpoint.ts';
import { fingerprintOf } from '../../shared/platform/idempotency/key.ts';
import { problemErrorFormat } from '../../shared/platform/request/error-formats.ts';

/** Options of every GET endpoint. */
export const read = { method: 'get', scopes: ['payments:read', 'read:payments'], body: 'none' } as const;

/** Scopes that write: of an API key, and of a person. */
export const writeScopes = ['payments:write', 'manage:payments'] as const;

const MAX_KEY_LENGTH = 255;

interface IdempotentEndpoint<Path extends string> {
  path: Path;
  /** Default: 200. */
  successStatus?: number;
  /** Default: `optional`. */
  body?: 'required' | 'optional';
  /** Default: `writeScopes`. */
  scopes?: readonly Scope[];
  /** Replaces an error of the claim's transaction, after which nothing is stored. */
  errorOf?(error: unknown): Promise<unknown>;
  /** Loads the modules of the operation. Returns a function that parses the request and runs it. */
  load(): Promise<(attempt: Attempt, request: EndpointRequest<Path>, context: Context) => Promise<Completed>>;
}

export function idempotentEndpoint<const Path extends string>(
  functionsUrl: string,
  {
    path,
    successStatus = 200,
    body = 'optional',
    scopes = writeScopes,
    errorOf,
    load,
  }: IdempotentEndpoint<Path>,
): Endpoint<Path> {
  return endpoint({
    method: 'post',
    path,
    scopes,
    body,
    checkHeaders: (headers) => void keyOf(headers),
    async handle(request) {
      const context = request.context(successStatus);
      const [run, { withIdempotencyKey }, { serializeSnapshot }] = await Promise.all([
        load(),
        import('../../shared/payments/idempotency/with-idempotency-key.ts'),
        import('../../shared/payments/snapshots.ts'),
      ]);
      const outcome = await withIdempotencyKey(
        context,
        idempotentRequest(request, successStatus),
        async (attempt) => await run(attempt, request, context),
      ).catch(async (error: unknown) => {
        throw errorOf ? await errorOf(error) : error;
      });
      return toAnswer(outcome, (snapshot) => serializeSnapshot(snapshot, functionsUrl));
    },
  });
}

function idempotentRequest(request: EndpointRequest, successStatus: number): IdempotentRequest {
  const { actor, headers, json, requestContext } = request;
  const key = keyOf(headers);
  return {
    key: actor.type === 'person' ? ownKey(actor.userId, key) : key,
    fingerprint: fingerprintOf(requestContext.method, requestContext.path, json),
    successStatus,
    formatError: (error) => problemErrorFormat(error, requestContext),
  };
}

function toAnswer(outcome: IdempotentOutcome, serialize: (snapshot: Snapshot) => object): EndpointResponse {
  if (!outcome.replayed) {
    const body = { ...serialize(outcome.snapshot), ...outcome.once };
    return { status: outcome.status, body };
  }
  const { status } = outcome;
  const replay = { 'Idempotent-Replay': 'true' };
  if ('snapshot' in outcome) {
    return { status, body: serialize(outcome.snapshot), headers: replay };
  }
  const problem = { 'Content-Type': 'application/problem+json' };
  return { status, body: outcome.body, headers: { ...replay, ...problem } };
}

/** Idempotency-Keys of payments belong to the tenant. This one belongs to the person, so it cannot collide with those of API keys. */
const ownKey = (userId: string, key: string) => `person-${sha256Hex(`${userId}\n${key}`)}`;

/** The Idempotency-Key of a request. Throws `malformed_body` with the reason `idempotency_key_missing`. */
function keyOf(headers: Headers): string {
  const key = headers.get('idempotency-key') ?? '';
  if (key !== '' && key.length <= MAX_KEY_LENGTH) return key;
  const message = `Missing or invalid Idempotency-Key header. Send 1 to ${MAX_KEY_LENGTH} characters with every POST.`;
  throw new ApiError('malformed_body', message, { reason: 'idempotency_key_missing' });
}
