// The base of all records endpoints: checks headers and path ids. Request handling is loaded with the first request, so that only the
// routes are loaded at function startup.

import type { EndpointResponse } from '../../shared/platform/access/context.ts';
import { isSilent, readOrigin } from '../../shared/platform/access/require-token.ts';
import { allows } from '../../shared/platform/access/scopes.ts';
import { entityTagsOf } from '../../shared/platform/entity-tags.ts';
import { ApiError, insufficientScope } from '../../shared/platform/errors.ts';
import { type Endpoint, endpoint } from '../../shared/platform/http/endpoint.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import { idempotencyKeyOwnerOf, requestedVariant } from '../../shared/records/variants/requested-variant.ts';
import type { Resource } from '../../shared/records/variants/variant.ts';
import type { VersionedResource } from '../../shared/records/versions.ts';
import type { RecordsRequest } from './records-request.ts';

interface RecordsEndpoint<Path extends string>
  extends Omit<Endpoint<Path>, 'handle' | 'checkHeaders' | 'idempotencyKeyOwner'> {
  /** The resource whose names bodies and errors use. */
  resource: Resource;
  /** The kind of record that the endpoint returns, or changes by `:id`. Enables conditional requests. */
  conditional?: VersionedResource;
  handle(request: RecordsRequest<Path>): Promise<EndpointResponse>;
}

/** Defines a records endpoint. Malformed ids in the path result in 404. */
export function recordsEndpoint<const Path extends string>({
  resource,
  conditional,
  handle,
  ...rest
}: RecordsEndpoint<Path>): Endpoint<Path> {
  return endpoint({
    ...rest,
    ...(rest.method === 'post' && { idempotencyKeyOwner: idempotencyKeyOwnerOf }),
    checkHeaders(headers) {
      readOrigin(headers);
      requestedVariant(headers);
      if (rest.method !== 'get') isSilent(headers);
      if (conditional && rest.method !== 'get') entityTagsOf(headers, 'If-Match');
      if (conditional && ['get', 'put'].includes(rest.method)) entityTagsOf(headers, 'If-None-Match');
    },
    async handle(request) {
      if (rest.method !== 'get' && isSilent(request.headers) && !allows(request.actor.scopes, ['admin'])) {
        throw insufficientScope('token', ['admin']);
      }
      for (const [name, value] of Object.entries<string>(request.params)) {
        if (!NON_UUID_PARAMS.has(name) && !isUuid(value)) throw recordNotFound(name);
      }
      const { handleRecords } = await import('./records-request.ts');
      return await handleRecords(request, { resource, conditional }, handle);
    },
  });
}

const NON_UUID_PARAMS = new Set(['delivery_id', 'external_id']);

export function recordNotFound(name: string): ApiError {
  const resource = name === 'id' ? 'record' : name.replace(/_id$/, '');
  return new ApiError('not_found', `There is no ${resource} with this id.`, { reason: 'malformed_id' });
}
