// What every endpoint of records is: the header of its variant, and the ids in its path. What a request holds and how it
// is answered is loaded with the first one, so that the function starts with its routes alone.

import { clientOf, type EndpointAnswer } from '../../shared/platform/access/context.ts';
import { isSilent, readOrigin } from '../../shared/platform/access/require-token.ts';
import { allows } from '../../shared/platform/access/scopes.ts';
import { entityTagsOf } from '../../shared/platform/entity-tags.ts';
import { ApiError, insufficientScope } from '../../shared/platform/errors.ts';
import {
  type Endpoint,
  type EndpointRequest,
  endpoint,
  type KeyOwner,
} from '../../shared/platform/http/endpoint.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import type { Resource } from '../../shared/records/variants/variant.ts';
import type { VersionedResource } from '../../shared/records/versions.ts';
import type { RecordsRequest } from './records-request.ts';
import { clientVariant, requestedVariant } from './variant-header.ts';

export interface RecordsEndpoint<Path extends string>
  extends Omit<Endpoint<Path>, 'handle' | 'checkHeaders' | 'keysOf'> {
  /** The resource that bodies and errors are about. */
  resource: Resource;
  /** The kind of record that it shows, or that `:id` names and it changes: what its request can be made conditional by. */
  conditional?: VersionedResource;
  handle(request: RecordsRequest<Path>): Promise<EndpointAnswer>;
}

/** Completes an endpoint of records. Ids in its path that cannot be one are answered 404. */
export function recordsEndpoint<const Path extends string>({
  resource,
  conditional,
  handle,
  ...rest
}: RecordsEndpoint<Path>): Endpoint<Path> {
  return endpoint({
    ...rest,
    ...(rest.method === 'post' && { keysOf: clientsKeys }),
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
        if (!NO_UUIDS.has(name) && !isUuid(value)) throw recordNotFound(name);
      }
      const { handleRecords } = await import('./records-request.ts');
      return await handleRecords(request, { resource, conditional }, handle);
    },
  });
}

/** Keys are the client's, whose answers are in its variant's names, and nobody else's to replay. */
const clientsKeys = ({ actor, headers }: Pick<EndpointRequest, 'actor' | 'headers'>): KeyOwner => ({
  scope: clientOf(actor) ?? '',
  others: [requestedVariant(headers) ?? clientVariant(actor)],
});

const NO_UUIDS = new Set(['delivery_id', 'external_id']);

export function recordNotFound(name: string): ApiError {
  const what = name === 'id' ? 'record' : name.replace(/_id$/, '');
  return new ApiError('not_found', `There is no ${what} with this id.`, { reason: 'malformed_id' });
}
