// Events of records and payments, and one event with its deliveries.

import { toJson } from '../../typescript/src/core/json.ts';
import type { ReadEvent } from '../api/events.ts';
import { asRows, asText, asTexts, type Json } from '../api/json.ts';
import { withQuery } from '../api/page-api.ts';
import { eventName } from '../kit/api-words.tsx';
import { t, tCount } from '../kit/language.ts';
import { Empty, Facts, Json as JsonText, Panel } from '../kit/small.tsx';
import { Table } from '../kit/table.tsx';
import { Moment, Value } from '../kit/value.tsx';
import { labelOf } from '../resources/labels.ts';
import type { Column } from '../resources/resource.ts';
import { PAGE_ROWS, type Page, type View } from '../view.ts';
import { csvCut, csvHead, csvLine, MAX_CSV_ROWS } from './csv.ts';
import { dateFields, rangeOf } from './dates.tsx';
import { SectionPanel } from './detail.tsx';
import { FilterFields } from './filter-fields.tsx';

export const eventColumns: Column[] = [
  { name: 'type', label: 'Event', as: 'event', href: ({ id }) => `/events/${asText(id)}` },
  { name: 'about', label: 'About', text: ({ data }) => nameOfData(data) },
  { name: 'changed' },
  { name: 'created_at', label: 'Time' },
];

/** A readable name for the record of an event. */
function nameOfData(data: unknown): string {
  const { name, title, our_number: number, email, url, id } = asRows([data])[0] ?? {};
  return [name, title, number, email, url, id].map(asText).find(Boolean) ?? '';
}

/** Events that match the filters of the page. */
export async function filteredEvents(
  view: View,
): Promise<{ all: ReadEvent[]; events: ReadEvent[]; isAtEnd: boolean }> {
  const { events: all, isAtEnd } = await view.events.read(view.api);
  const { from, to } = rangeOf(view);
  const [type, about] = [view.query('type'), view.query('q').toLowerCase()];
  const found = all.filter((event) => {
    const at = Date.parse(event.created_at);
    return (
      (type === '' || event.type === type) &&
      (from === undefined || at >= from.getTime()) &&
      (to === undefined || at < to.getTime()) &&
      (about === '' || toJson(event.data).toLowerCase().includes(about))
    );
  });
  return { all, events: found, isAtEnd };
}

/** The matching events as a CSV file. */
export async function eventsCsv(view: View): Promise<string> {
  const { events: found } = await filteredEvents(view);
  const lines = found.slice(0, MAX_CSV_ROWS).map((row) => csvLine(eventColumns, row));
  return [csvHead(eventColumns), ...lines, ...(found.length > MAX_CSV_ROWS ? [csvCut()] : [])].join('');
}

export const events: Page = async (view) => {
  const { all, events: found, isAtEnd } = await filteredEvents(view);
  const types = [...new Set(all.map(({ type }) => type))].sort();
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(Math.max(Math.trunc(Number(view.query('page'))) || 1, 1), pages);
  const filters = Object.fromEntries(
    ['q', 'type', 'period', 'from', 'to'].map((name) => [name, view.query(name)]),
  );
  const rows = found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
  return {
    title: t('Events'),
    lead: t('What happened to records and payments. Webhooks and feeds deliver the same events.'),
    actions: (
      <a class="button quiet" href={withQuery('/events', { ...filters, format: 'csv' })}>
        {t('Download CSV')}
      </a>
    ),
    body: (
      <>
        <FilterFields
          action="/events"
          isOpen={Object.values(filters).some(Boolean)}
          search={view.query('q')}
          fields={[
            <label class="choice">
              <span>{t('Type')}</span>
              <select name="type">
                <option value="">{t('any')}</option>
                {types.map((one) => (
                  <option value={one} selected={one === view.query('type')}>
                    {eventName(one)}
                  </option>
                ))}
              </select>
            </label>,
            ...dateFields(view),
          ]}
        />
        {!isAtEnd && (
          <p class="notice warn">
            {t('There are newer events that have not been loaded yet.')}{' '}
            <a href={withQuery('/events', filters)}>{t('Load more')}</a>
          </p>
        )}
        <Panel live="events">
          {rows.length > 0 ? (
            <Table
              label={t('Events')}
              columns={eventColumns.map((column) => ({
                name: labelOf(column),
                cell: (row: Json) => <Value column={column} row={row} />,
              }))}
              rows={rows}
              keyOf={({ id }) => asText(id)}
            />
          ) : (
            <Empty title={t('No events in this period')}>
              {found.length === all.length ? (
                t('Events appear here when records or payments change.')
              ) : (
                <a href="/events">{t('Show all')}</a>
              )}
            </Empty>
          )}
          <nav class="pages" aria-label={t('Pages')}>
            {page > 1 && (
              <a class="button quiet" href={withQuery('/events', { ...filters, page: page - 1 })} rel="prev">
                {t('Newer')}
              </a>
            )}
            <span class="muted">
              {tCount(found.length, '{count} row', '{count} rows')},{' '}
              {t('page {page} of {pages}', { page, pages })}
            </span>
            {page < pages && (
              <a class="button quiet" href={withQuery('/events', { ...filters, page: page + 1 })} rel="next">
                {t('Older')}
              </a>
            )}
          </nav>
        </Panel>
      </>
    ),
  };
};

/** Maximum number of webhooks whose latest deliveries are searched, with one call each. */
const MAX_WEBHOOKS = 3;

export const event: Page = async (view) => {
  const { known, isAtEnd } = await findEvent(view);
  if (!known && isAtEnd) return undefined;
  if (!known)
    return {
      title: t('Event'),
      lead: <a href="/events">{t('Events')}</a>,
      body: (
        <Panel>
          <Empty title={t('This event has not been loaded yet')}>
            {t('There are newer events that have not been loaded yet.')}{' '}
            <a href={view.path}>{t('Load more')}</a>
          </Empty>
        </Panel>
      ),
    };
  const isPayment = known.feed === 'payments';
  const path = isPayment ? '/payments/webhooks' : '/v1/webhooks';
  const canRead = (isPayment || view.can('read:webhooks')) && view.api.left > 0;
  const deliveries = canRead ? await deliveriesOf(view, path, known.id) : undefined;
  const page = isPayment ? '/webhooks/payments' : '/webhooks';
  return {
    title: eventName(known.type),
    lead: <a href="/events">{t('Events')}</a>,
    body: (
      <>
        <Panel>
          <Facts
            of={[
              [t('Time'), <Moment at={known.created_at} />],
              [t('Id'), <code>{known.id}</code>],
              [t('Changed members'), asTexts(known.changed).join(', ')],
              [t('Origin'), asText(known.origin)],
              [t('Silent'), known.silent === true && t('yes')],
            ]}
          />
          <h2 class="panel-text">{t('Data')}</h2>
          <JsonText label={t('Data')} of={known.data} />
        </Panel>
        {deliveries && (
          <SectionPanel
            section={{ title: 'Deliveries', none: 'No webhook has received this event recently' }}
            columns={[
              {
                name: 'webhook_url',
                label: 'Webhook',
                as: 'text',
                href: (row) => `${page}/${asText(row.webhook_id)}/deliveries/${asText(row.id)}`,
              },
              { name: 'status' },
              { name: 'response_status' },
              { name: 'created_at' },
            ]}
            rows={deliveries}
          />
        )}
      </>
    ),
  };
};

async function findEvent({ events: history, api, param }: View) {
  const kept = history.kept(param('id'));
  if (kept) return { known: kept, isAtEnd: true };
  const { isAtEnd } = await history.read(api);
  return { known: history.kept(param('id')), isAtEnd };
}

/** Deliveries of an event among the latest of each webhook. */
async function deliveriesOf(view: View, path: string, eventId: string): Promise<Json[]> {
  const { rows: webhooks } = await view.api.rows(path);
  const found = await Promise.all(
    webhooks.slice(0, Math.min(view.api.left, MAX_WEBHOOKS)).map(async ({ id, url }) => {
      const limit = path.startsWith('/payments') ? { limit: 100 } : { per_page: 100 };
      const { rows } = await view.api.rows(`${path}/${asText(id)}/deliveries`, limit);
      return rows.map((row) => ({ ...row, webhook_id: id, webhook_url: url }));
    }),
  );
  return found.flat().filter(({ event_id: id }: Json) => id === eventId);
}
