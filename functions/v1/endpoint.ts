// What every endpoint of records is: the header of its variant, and the ids in its path. What a request holds and how it
// is answered is loaded with the first one, so that the function starts with its routes alone.
import { originOf } from '../../shared/platform/auth/require-token.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type Answer, type Endpoint, endpoint } from '../../shared/platform/http/endpoint.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import type { Resource } from '../../shared/records/variants/variant.ts';
import type { RecordsRequest } from './records-request.ts';
import { askedVariant } from './variant-header.ts';

export interface RecordsEndpoint<Path extends string>
  extends Omit<Endpoint<Path>, 'handle' | 'checkHeaders'> {
  /** The resource that bodies and errors are about. */
  resource: Resource;
  handle(request: RecordsRequest<Path>): Promise<Answer>;
}

/** Completes an endpoint of records. Ids in its path that cannot be one are answered 404. */
export function recordsEndpoint<const Path extends string>({
  resource,
  handle,
  ...rest
}: RecordsEndpoint<Path>): Endpoint<Path> {
  return endpoint({
    ...rest,
    checkHeaders,
    async handle(request) {
      for (const [name, value] of Object.entries<string>(request.params)) {
        if (name !== 'delivery_id' && !isUuid(value)) throw noSuchThing(name);
      }
      const { handleRecords } = await import('./records-request.ts');
      return await handleRecords(request, resource, handle);
    },
  });
}

function checkHeaders(headers: Headers): void {
  originOf(headers);
  askedVariant(headers);
}

function noSuchThing(name: string): ApiError {
  const what = name === 'id' ? 'record' : name.replace(/_id$/, '');
  return new ApiError('not_found', `There is no ${what} with this id.`, { reason: 'malformed_id' });
}
