// Events, their deliveries, and webhooks.
import type { FC } from 'hono/jsx';
import { plural } from '../kit/format.ts';
import { Action, Filters } from '../kit/forms.tsx';
import { List } from '../kit/list.tsx';
import { Badge, Empty, Facts, Json, None, Panel, Status, Tabs, Time } from '../kit/small.tsx';
import { type Column, Table } from '../kit/table.tsx';
import type { Page } from '../view.ts';
import {
  type DeliveryRow,
  type EndpointRow,
  type EventRow,
  readDeliveries,
  readEndpoints,
  readEvent,
  readEvents,
  readEventTypes,
} from './queries.ts';

const EventTabs: FC<{ path: string }> = ({ path }) => (
  <Tabs
    path={path}
    label="Events"
    of={[
      ['/events', 'Events'],
      ['/events/deliveries', 'Deliveries'],
      ['/events/webhooks', 'Webhooks'],
      ['/events/inbox', 'Inbox'],
    ]}
  />
);

export { EventTabs };

export const events: Page = async (view) => {
  const filter = { text: view.query('q'), type: view.query('type') };
  const [rows, types] = await Promise.all([readEvents(view, filter), readEventTypes(view)]);
  return {
    title: 'Events',
    lead: 'All changes to the data, with their deliveries.',
    body: (
      <>
        <EventTabs path={view.path} />
        <Filters
          action="/events"
          search={{ value: filter.text, label: 'Search type or payload' }}
          choices={[{ name: 'type', label: 'Type', value: filter.type, values: types }]}
        />
        <List
          live="events"
          label="Events"
          columns={eventColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: filter, what: 'event', path: '/events' }}
          none="No events yet"
        >
          Creating a lead, moving a deal or paying an invoice causes an event.
        </List>
      </>
    ),
  };
};

const eventColumns = (now: Date): Column<EventRow>[] => [
  { name: 'Event', cell: ({ id, type }) => <a href={`/events/${id}`}>{type}</a> },
  { name: 'Interface', cell: (row) => row.interface },
  {
    name: 'Changed',
    cell: ({ changed }) =>
      changed.length > 0 ? changed.map((name) => <code class="field">{name}</code>) : <None />,
  },
  { name: 'Deliveries', cell: (row) => <Outcome of={row} /> },
  { name: 'Time', cell: ({ created_at: at }) => <Time at={at} now={now} /> },
];

const Outcome: FC<{ of: EventRow }> = ({ of: { deliveries, delivered, failed } }) => {
  if (deliveries === 0) return <span class="muted">no webhooks</span>;
  if (failed > 0) return <Badge of={`${failed} of ${deliveries} failing`} tone="bad" />;
  if (delivered === deliveries) return <Badge of={`${delivered} delivered`} tone="good" />;
  return <Badge of={`${delivered} of ${deliveries}`} tone="warn" />;
};

export const event: Page = async (view) => {
  const id = view.param('id');
  const [row, deliveries] = await Promise.all([readEvent(view, id), readDeliveries(view, { eventId: id })]);
  if (!row) return undefined;
  return {
    title: row.type,
    lead: <a href="/events">All events</a>,
    actions: <Outcome of={row} />,
    body: (
      <>
        <Panel title="Event">
          <Facts
            of={[
              ['Id', <code>{row.id}</code>],
              ['Interface', row.interface],
              ['Time', <Time at={row.created_at} now={view.now} />],
              ['Origin', row.origin],
              [
                'Changed',
                row.changed.length ? row.changed.map((name) => <code class="field">{name}</code>) : null,
              ],
            ]}
          />
        </Panel>
        <Panel title="Deliveries" live="deliveries">
          {deliveries.length > 0 ? (
            <Table
              label="Deliveries"
              columns={deliveryColumns(view.now)}
              rows={deliveries}
              keyOf={({ id: key }) => key}
            />
          ) : (
            <Empty title="No deliveries">No webhook was subscribed to {row.type} at that time.</Empty>
          )}
        </Panel>
        <Panel title="Data as stored">
          <Json label="event data" of={row.data} />
        </Panel>
      </>
    ),
  };
};

const STATUSES = ['delivered', 'pending', 'failed', 'failing'];

export const deliveries: Page = async (view) => {
  const status = view.query('status');
  const rows = await readDeliveries(view, { status });
  return {
    title: 'Deliveries',
    lead: 'Events sent to webhooks, and the results.',
    body: (
      <>
        <EventTabs path={view.path} />
        <Filters
          action="/events/deliveries"
          choices={[{ name: 'status', label: 'Status', value: status, values: STATUSES }]}
        />
        <List
          live="deliveries"
          label="Deliveries"
          columns={deliveryColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: { status }, what: 'delivery', path: '/events/deliveries' }}
          none="No deliveries yet"
        >
          Create a webhook with the URL <code>{view.url}/inbox/anything</code>. The inbox records its
          requests.
        </List>
      </>
    ),
  };
};

const deliveryColumns = (now: Date): Column<DeliveryRow>[] => [
  { name: 'Delivery', cell: ({ id, type }) => <a href={`/events/deliveries/${id}`}>{type}</a> },
  { name: 'Endpoint', cell: ({ url }) => <span class="path">{url}</span> },
  { name: 'Status', cell: ({ status }) => <Badge of={status} /> },
  {
    name: 'Last response',
    cell: ({ attempts, last_status: status, last_error: error }) =>
      attempts === 0 ? (
        <None />
      ) : (
        <span class="reason">
          <Status code={status} />
          {error !== null && <span class="clip muted">{error}</span>}
        </span>
      ),
  },
  { name: 'Attempts', number: true, cell: ({ attempts }) => attempts },
  { name: 'Created', cell: ({ created_at: at }) => <Time at={at} now={now} /> },
  {
    name: 'Replay',
    cell: ({ id, type, active }) =>
      active ? (
        <Action action={`/events/deliveries/${id}/replay`} about={type}>
          Replay
        </Action>
      ) : (
        <span class="muted">inactive</span>
      ),
  },
];

export const webhooks: Page = async (view) => {
  const rows = await readEndpoints(view);
  return {
    title: 'Webhooks',
    lead: 'Endpoints that receive events.',
    body: (
      <>
        <EventTabs path={view.path} />
        <List
          live="webhooks"
          label="Webhooks"
          columns={endpointColumns}
          rows={rows}
          keyOf={({ id }) => id}
          none="No webhooks"
        >
          Create one with <a href="/reference">POST /v1/webhooks</a>, or for payments with POST
          /payments/webhooks.
        </List>
      </>
    ),
  };
};

const endpointColumns: Column<EndpointRow>[] = [
  { name: 'URL', cell: ({ url }) => <span class="path">{url}</span> },
  { name: 'Interface', cell: (row) => row.interface },
  {
    name: 'Events',
    cell: ({ events: types }) =>
      types === null ? 'all' : <span title={types.join(', ')}>{plural(types.length, 'type')}</span>,
  },
  {
    name: 'Status',
    cell: ({ active, deactivation_reason: reason }) => (
      <span class="reason">
        <Badge of={active ? 'active' : 'inactive'} tone={active ? 'good' : 'bad'} />
        {reason !== null && <span class="muted">{reason}</span>}
      </span>
    ),
  },
  { name: 'Consecutive failures', number: true, cell: ({ consecutive_failures: count }) => count },
];
