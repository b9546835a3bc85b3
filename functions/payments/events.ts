// Endpoint of /events.
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import type { Dependencies } from './dependencies.ts';
import { read } from './idempotent-endpoint.ts';

export function eventEndpoints({ functionsUrl }: Pick<Dependencies, 'functionsUrl'>) {
  return {
    listEvents: endpoint({
      ...read,
      path: '/events',
      async handle({ context, query, signal }) {
        const { listEvents } = await import('../../shared/payments/events.ts');
        const page = await listEvents(context(200), query, functionsUrl, signal);
        const { events, hasMore, nextCursor } = page;
        return { status: 200, body: { data: events, has_more: hasMore, next_cursor: nextCursor } };
      },
    }),
  } satisfies Endpoints;
}
