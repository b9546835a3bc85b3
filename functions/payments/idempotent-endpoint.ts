// POST endpoints of payments: each needs an Idempotency-Key, and answers a repeated request as it did the first time.
import { createHash } from 'node:crypto';
import type { KeyedOutcome, KeyedRequest } from '../../shared/payments/idempotency.ts';
import type { Renderer } from '../../shared/payments/serialize.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { CallerRequest, Endpoint, EndpointDocs } from '../../shared/platform/http/app.ts';
import { problemRendering } from '../../shared/platform/http/error-responses.ts';

const MAX_KEY_LENGTH = 255;

export interface KeyedEndpoint {
  path: string;
  successStatus: number;
  body: 'required' | 'optional';
  docs: () => Promise<EndpointDocs>;
  run(request: CallerRequest, keyed: KeyedRequest): Promise<KeyedOutcome>;
}

export function keyedEndpoint(renderer: Renderer, { run, ...endpoint }: KeyedEndpoint): Endpoint {
  return {
    ...endpoint,
    method: 'post',
    scope: 'payments:write',
    checkHeaders(headers) {
      keyOf(headers);
    },
    async handle(request) {
      const { call, headers, json } = request;
      const outcome = await run(request, {
        key: keyOf(headers),
        fingerprint: fingerprint(call.method, call.path, json),
        successStatus: endpoint.successStatus,
        renderError: (error) => problemRendering(error, { requestId: call.requestId, path: call.path }),
      });
      if (!outcome.replayed)
        return { status: endpoint.successStatus, body: renderer.render(outcome.snapshot) };
      const { status } = outcome;
      const replay = { 'Idempotent-Replay': 'true' };
      if ('snapshot' in outcome) return { status, body: renderer.render(outcome.snapshot), headers: replay };
      const problem = { 'Content-Type': 'application/problem+json' };
      return { status, body: outcome.body, headers: { ...replay, ...problem } };
    },
  };
}

/** The request's key. Throws 400. */
function keyOf(headers: Headers): string {
  const key = headers.get('idempotency-key') ?? '';
  if (key !== '' && key.length <= MAX_KEY_LENGTH) return key;
  const message = `Every POST needs the header Idempotency-Key, of 1 to ${MAX_KEY_LENGTH} characters.`;
  throw new ApiError('malformed_body', message, { reason: 'idempotency_key_missing' });
}

/** Members in another order are the same request; an object is never the same as an array, nor 1e400 as null. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { members: members.map(([name, member]) => [name, canonical(member)]) };
}

function fingerprint(method: string, path: string, body: unknown): string {
  const text = JSON.stringify([method, path, canonical(body)]);
  return createHash('sha256').update(text).digest('hex');
}
