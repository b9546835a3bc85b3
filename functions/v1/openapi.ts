// How the OpenAPI description of a records endpoint is made of the endpoint and what its file says about it.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { Endpoint, Endpoints } from '../../shared/platform/http/endpoint.ts';
import { json, type Operation, type OperationsOf } from '../../shared/platform/http/openapi.ts';
import { parametersIn, requestHeaders, withEmptyValues } from './parameters.openapi.ts';
import { type Envelope, type Failure, listOf, responsesOf, WITH_BODY } from './responses.openapi.ts';

/** What the description of an endpoint adds to the endpoint. */
export interface Description {
  summary: string;
  /** Details that are not in the summary. */
  description?: string;
  tag: string;
  /** Schemas of the path parameters. Default: ids, or external ids and ids of deliveries. */
  params?: z.ZodRawShape;
  query?: z.ZodObject;
  body?: z.ZodType;
  status?: number;
  /** Schema of `data`; absent for 204. */
  data?: z.ZodType;
  /** The envelope of the response; `plain` has none. Default: that of a list if the query has pages, else that of one record. */
  list?: Envelope | undefined;
  /** Status if the request creates the record, for operations that create or update. */
  createdStatus?: 201;
  /** `shown`: the response has an ETag. `conditional`: the request also accepts a precondition. `demanded`: it only accepts one. */
  entityTag?: 'shown' | 'conditional' | 'demanded';
  /** Besides those of all endpoints, and 404 for a path with parameters. */
  failures?: Failure[];
}

/** A description without its tag, which it shares with the others of its file. */
export type Untagged = Omit<Description, 'tag'>;

/** One description for each endpoint of a file. */
export type DescriptionsOf<E extends Endpoints> = Readonly<Record<keyof E, Description>>;

/** Descriptions with the same tag. */
export const tagged = <Name extends string>(
  tag: string,
  descriptions: Readonly<Record<Name, Untagged>>,
): Record<Name, Description> => {
  const all = Object.entries<Untagged>(descriptions).map(([name, it]) => [name, { ...it, tag }]);
  return Object.fromEntries(all);
};

/** The OpenAPI descriptions of endpoints in a variant, by name. */
export const describeAll = <E extends Endpoints>(
  variant: NamingVariant,
  endpoints: E,
  descriptions: DescriptionsOf<E>,
): OperationsOf<E> =>
  Object.fromEntries(
    // The compiler does not know that the entries have the names of the endpoints.
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
      name,
      describe(variant, endpoint, descriptions[name as keyof E]),
    ]),
  ) as OperationsOf<E>;

function describe(variant: NamingVariant, endpoint: Endpoint, description: Description): Operation {
  const { summary, tag, query, body, data, entityTag, createdStatus } = description;
  const { params = parametersIn(endpoint.path), status = data ? 200 : 204 } = description;
  const { list = query && 'page' in query.shape ? listOf(variant) : 'one' } = description;
  const writes = endpoint.method !== 'get';
  const administers = endpoint.administersAs !== undefined;
  const hasParams = Object.keys(params).length > 0;
  const isConditional = entityTag !== undefined && entityTag !== 'shown';
  const condition = isConditional ? (writes ? 'If-Match' : 'If-None-Match') : undefined;
  return {
    summary,
    ...(description.description && { description: description.description }),
    tags: [tag],
    request: {
      headers: requestHeaders(variant, {
        writes,
        administers,
        condition,
        creates: createdStatus !== undefined,
      }),
      ...(hasParams && { params: z.object(params) }),
      ...(query && { query: list === 'feed' ? query : withEmptyValues(query) }),
      ...(body && { body: { content: json(body), required: endpoint.body === 'required' } }),
    },
    responses: responsesOf({
      summary,
      status,
      createdStatus,
      data,
      envelope: list,
      showsTag: entityTag !== undefined && entityTag !== 'demanded',
      condition,
      failures: [
        ...(description.failures ?? []),
        ...(hasParams ? [404 as const] : []),
        // A write that returns a record accepts a body, required or not.
        ...(body !== undefined || (writes && data !== undefined) ? WITH_BODY : []),
      ],
    }),
  };
}

/** GET and PUT of a record by external id. `body` covers both creating and updating. */
export const externalDescriptions = ({
  one,
  body,
  data,
  shown,
}: {
  one: string;
  body: z.ZodType;
  data: z.ZodType;
  shown: z.ZodType;
}): Record<'get' | 'put', Untagged> => ({
  get: {
    summary: `Get ${one} by its external id`,
    entityTag: 'conditional',
    data: shown,
  },
  put: {
    summary: `Create or update ${one} by its external id`,
    description:
      'Creates the record (201) with a body as for POST if the external id is new, otherwise updates it with a body as for PATCH. ' +
      'Concurrent requests create it only once.',
    entityTag: 'conditional',
    body,
    data,
    createdStatus: 201,
    failures: [409, 422],
  },
});
