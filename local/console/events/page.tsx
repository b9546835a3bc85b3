// Events, their deliveries, and webhooks.
import type { FC } from 'hono/jsx';
import { number } from '../../../clients/console/kit/format.ts';
import { Action, Filters } from '../../../clients/console/kit/forms.tsx';
import { t, tCount, tName } from '../../../clients/console/kit/language.ts';
import { Badge, Empty, Facts, Json, None, Panel, Status, Time } from '../../../clients/console/kit/small.tsx';
import { type Column, Table } from '../../../clients/console/kit/table.tsx';
import { List } from '../list.tsx';
import type { Page } from '../view.ts';
import { type DeliveryRow, type EventRow, readDeliveries, readEvent } from './queries.ts';

const interfaceName = (name: string) => t(name === 'payments' ? 'Payments' : 'Records');

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
