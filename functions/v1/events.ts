// Endpoint of /events.
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { eventScopes } from '../../shared/records/events/event-scopes.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/events/list.ts');

export const eventEndpoints = {
  listEvents: recordsEndpoint({
    method: 'get',
    path: '/events',
    scopes: eventScopes,
    usesScopes: eventScopes,
    body: 'none',
    resource: 'webhook',
    async handle(request) {
      const { listEvents } = await reads();
      return request.respond(
        (context) => listEvents(context, request.query, request.variant, request.signal),
        ({ events, nextCursor, hasMore }, meta) => ({
          data: events,
          meta: { ...meta, next_cursor: nextCursor, has_more: hasMore },
        }),
      );
    },
  }),
} satisfies Endpoints;
