// Events, their deliveries, and webhooks.
import type { FC } from 'hono/jsx';
import { number } from '../../../clients/console/kit/format.ts';
import { Action, Filters } from '../../../clients/console/kit/forms.tsx';
import { t, tCount, tName } from '../../../clients/console/kit/language.ts';
import { List } from '../../../clients/console/kit/list.tsx';
import { Badge, Due, Empty, Facts, Json, None, Panel, Status, Tabs, Time } from '../../../clients/console/kit/small.tsx';
import { type Column, Table } from '../../../clients/console/kit/table.tsx';
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
    label={t('Events')}
    of={[
      ['/events', t('Events')],
      ['/events/deliveries', t('Deliveries')],
      ['/events/webhooks', t('Webhooks')],
      ['/events/inbox', t('Inbox')],
    ]}
  />
);

export { EventTabs };

const interfaceName = (name: string) => t(name === 'payments' ? 'Payments' : 'Records');

export const events: Page = async (view) => {
  const filter = { text: view.query('q'), type: view.query('type') };
  const [rows, types] = await Promise.all([readEvents(view, filter), readEventTypes(view)]);
  return {
    title: t('Events'),
    lead: t('All changes to the data, with their deliveries.'),
    body: (
      <>
        <EventTabs path={view.path} />
        <Filters
          action="/events"
          search={{ value: filter.text, label: t('Search type or payload') }}
          choices={[{ name: 'type', label: t('Type'), value: filter.type, values: types }]}
        />
        <List
          view={view}
          live="events"
          label={t('Events')}
          columns={eventColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: filter, none: t('No event matches the filters'), path: '/events' }}
          none={t('No events yet')}
        >
          {t('Creating a lead, moving a deal or paying an invoice causes an event.')}
        </List>
      </>
    ),
  };
};

const eventColumns = (now: Date): Column<EventRow>[] => [
  {
    name: t('Event'),
    cell: ({ id, type, subject }) => (
      <span class="two-lines">
        <a href={`/events/${id}`}>{type}</a>
        <span class="muted small clip" lang="">
          {subject}
        </span>
      </span>
    ),
  },
  { name: t('Interface'), cell: (row) => interfaceName(row.interface) },
  {
    name: t('Changed'),
    cell: ({ changed }) =>
      changed.length > 0 ? changed.map((name) => <code class="field">{name}</code>) : <None />,
  },
  { name: t('Deliveries'), cell: (row) => <Outcome of={row} /> },
  { name: t('Time'), cell: ({ created_at: at }) => <Time at={at} now={now} /> },
];

const Outcome: FC<{ of: EventRow }> = ({ of: { deliveries, delivered, failed } }) => {
  if (deliveries === 0) return <span class="muted">{t('no webhooks')}</span>;
  if (failed > 0)
    return (
      <Badge
        of={t('{failed} of {count} failing', { failed: number(failed), count: number(deliveries) })}
        tone="bad"
      />
    );
  if (delivered === deliveries)
    return <Badge of={tCount(delivered, '1 delivered', '{count} delivered')} tone="good" />;
  return (
    <Badge
      of={t('{delivered} of {count}', { delivered: number(delivered), count: number(deliveries) })}
      tone="warn"
    />
  );
};

export const event: Page = async (view) => {
  const id = view.param('id');
  const [row, deliveries] = await Promise.all([readEvent(view, id), readDeliveries(view, { eventId: id })]);
  if (!row) return undefined;
  return {
    title: row.type,
    lead: <a href="/events">{t('All events')}</a>,
    actions: <Outcome of={row} />,
    body: (
      <>
        <Panel title={t('Event')}>
          <Facts
            of={[
              [t('About'), row.subject],
              [t('Id'), <code>{row.id}</code>],
              [t('Interface'), interfaceName(row.interface)],
              [t('Time'), <Time at={row.created_at} now={view.now} />],
              [t('Origin'), row.origin],
              [
                t('Changed'),
                row.changed.length ? row.changed.map((name) => <code class="field">{name}</code>) : null,
              ],
            ]}
          />
        </Panel>
        <Panel title={t('Deliveries')} live="deliveries">
          {deliveries.length > 0 ? (
            <Table
              label={t('Deliveries')}
              columns={deliveryColumns(view.now)}
              rows={deliveries}
              keyOf={({ id: key }) => key}
            />
          ) : (
            <Empty title={t('No deliveries')}>
              {t('No webhook was subscribed to {type} at that time.', { type: row.type })}
            </Empty>
          )}
        </Panel>
        <Panel title={t('Data as stored')}>
          <Json label={t('event data')} of={row.data} />
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
    title: t('Deliveries'),
    lead: t('Events sent to webhooks, and the results.'),
    body: (
      <>
        <EventTabs path={view.path} />
        <Filters
          action="/events/deliveries"
          choices={[{ name: 'status', label: t('Status'), value: status, values: STATUSES }]}
        />
        <List
          view={view}
          live="deliveries"
          label={t('Deliveries')}
          columns={deliveryColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{
            by: { status },
            none: t('No delivery matches the filters'),
            path: '/events/deliveries',
          }}
          none={t('No deliveries yet')}
        >
          {t('Create a webhook with the URL')} <code>{view.url}/inbox/anything</code>.{' '}
          {t('The inbox records its requests.')}
        </List>
      </>
    ),
  };
};

const deliveryColumns = (now: Date): Column<DeliveryRow>[] => [
  { name: t('Delivery'), cell: ({ id, type }) => <a href={`/events/deliveries/${id}`}>{type}</a> },
  { name: t('Endpoint'), cell: ({ url }) => <span class="path">{url}</span> },
  { name: t('Status'), cell: ({ status }) => <Badge of={status} /> },
  {
    name: t('Last response'),
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
  { name: t('Attempts'), number: true, cell: ({ attempts }) => number(attempts) },
  { name: t('Created'), cell: ({ created_at: at }) => <Time at={at} now={now} /> },
  {
    name: t('Replay'),
    cell: ({ id, type, active }) =>
      active ? (
        <Action action={`/events/deliveries/${id}/replay`} about={type}>
          {t('Replay')}
        </Action>
      ) : (
        <span class="muted">{tName('inactive')}</span>
      ),
  },
];

export const webhooks: Page = async (view) => {
  const rows = await readEndpoints(view);
  return {
    title: t('Webhooks'),
    lead: t('Endpoints that receive events.'),
    body: (
      <>
        <EventTabs path={view.path} />
        <List
          view={view}
          live="webhooks"
          label={t('Webhooks')}
          columns={endpointColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          none={t('No webhooks')}
        >
          {t('Create one with')} <a href="/reference">POST /v1/webhooks</a>.{' '}
          {t('For payments, use {call}.', { call: 'POST /payments/webhooks' })}
        </List>
      </>
    ),
  };
};

const endpointColumns = (now: Date): Column<EndpointRow>[] => [
  { name: t('URL'), cell: ({ url }) => <span class="path">{url}</span> },
  { name: t('Interface'), cell: (row) => interfaceName(row.interface) },
  {
    name: t('Events'),
    cell: ({ events: types }) =>
      types === null ? (
        t('all')
      ) : (
        <span title={types.join(', ')}>{tCount(types.length, '{count} type', '{count} types')}</span>
      ),
  },
  {
    name: t('Status'),
    cell: ({ status, suspended_until: until, deactivation_reason: reason }) => (
      <span class="reason">
        <Badge of={status} />
        {until !== null && status === 'suspended' && (
          <span class="muted">
            {t('next attempt')} <Due at={until} now={now} />
          </span>
        )}
        {reason !== null && <span class="muted">{reason}</span>}
      </span>
    ),
  },
  { name: t('Consecutive failures'), number: true, cell: ({ consecutive_failures: count }) => number(count) },
];
