// The list of a resource: filters, a page of rows, and a CSV file of all of them.
import type { Child } from 'hono/jsx';
import type { Json } from '../api/json.ts';
import { type PageApi, type Query, type Rows, withQuery } from '../api/page-api.ts';
import { t, tCount, tName } from '../kit/language.ts';
import { Empty, None, Panel } from '../kit/small.tsx';
import { Table } from '../kit/table.tsx';
import { kindsOf, showOf, Value } from '../kit/value.tsx';
import { labelOf } from '../resources/labels.ts';
import { type Column, idOf, nameOf, pathOf, type Resource } from '../resources/resource.ts';
import { PAGE_ROWS, type PageContent, type View } from '../view.ts';
import { csvCut, csvHead, csvLine, MAX_CSV_ROWS } from './csv.ts';
import { DateFields, rangeOf } from './dates.tsx';

const MAX_PAGE = 1000;
const pageNumber = (view: View): number =>
  Math.min(Math.max(Math.trunc(Number(view.query('page'))) || 1, 1), MAX_PAGE);

/** Names of the filters in the URL. */
function filterNames({ filters = [], search, dates }: Resource): string[] {
  return [
    ...(search ? ['q'] : []),
    ...filters.map(({ name }) => name),
    ...(dates ? ['period', 'from', 'to'] : []),
  ];
}

/** The filters in the URL as parameters of the API. */
function filterQuery(resource: Resource, view: View): Query {
  const { from, to } = rangeOf(view);
  const { dates } = resource;
  return {
    ...Object.fromEntries((resource.filters ?? []).map(({ name }) => [name, view.query(name)])),
    ...(resource.search && { search: view.query('q') }),
    ...(dates && { [dates.from]: from?.toISOString(), [dates.to]: to?.toISOString() }),
  };
}

function pagingQuery({ paging }: Resource, view: View): Query {
  if (paging === 'pages') return { page: pageNumber(view), per_page: PAGE_ROWS };
  if (paging === 'cursor') return { limit: PAGE_ROWS, after: view.query('after') };
  if (paging === 'payments') return { limit: PAGE_ROWS, starting_after: view.query('after') };
  return {};
}

export const readRows = (resource: Resource, view: View): Promise<Rows> =>
  view.api.rows(resource.api, { ...filterQuery(resource, view), ...pagingQuery(resource, view) });

/** The URL of this list with other parameters. */
function addressWith(resource: Resource, view: View, more: Query): string {
  const kept = Object.fromEntries(filterNames(resource).map((name) => [name, view.query(name)]));
  return withQuery(view.path, { ...kept, ...more });
}

const isFiltered = (resource: Resource, view: View): boolean =>
  filterNames(resource).some((name) => view.query(name) !== '');

/** `before` and `extra` surround the list. */
export async function listPage(
  resource: Resource,
  view: View,
  extra?: Child,
  before?: Child,
): Promise<PageContent> {
  const [found, directory] = await Promise.all([
    readRows(resource, view),
    view.directory(...kindsOf(resource.columns)),
  ]);
  return {
    title: t(resource.title),
    lead: t(resource.lead),
    actions: <ListActs resource={resource} view={view} />,
    body: (
      <>
        {before}
        <FilterForm resource={resource} view={view} />
        <Panel
          {...(resource.listTitle && { title: t(resource.listTitle) })}
          {...(resource.live && { live: 'rows' })}
        >
          {found.rows.length > 0 ? (
            <>
              <Table
                label={t(resource.title)}
                columns={[
                  ...resource.columns.map((column, index) => ({
                    name: labelOf(column),
                    number: ['number', 'money', 'decimal'].includes(showOf(column, undefined)),
                    cell: (row: Json) => (
                      <Value
                        column={
                          index === 0 && !resource.flat && !column.href
                            ? { ...column, href: () => pathOf(resource, row) }
                            : column
                        }
                        row={row}
                        directory={directory}
                      />
                    ),
                  })),
                  ...rowActColumn(resource, view),
                ]}
                rows={resource.compare ? found.rows.toSorted(resource.compare) : found.rows}
                keyOf={(row) => idOf(resource, row) || nameOf(resource, row)}
              />
              <Pager resource={resource} view={view} found={found} />
            </>
          ) : isFiltered(resource, view) ? (
            <Empty title={t(resource.paging === 'cursor' ? resource.none : 'Nothing matches the filters')}>
              <a href={resource.path}>{t('Show all')}</a>
            </Empty>
          ) : (
            <Empty title={t(resource.none)}>
              {resource.wider ? (
                <a href={`${resource.path}?period=last_7_days`}>{t('Show the last 7 days')}</a>
              ) : (
                resource.hint && t(resource.hint)
              )}
            </Empty>
          )}
        </Panel>
        {extra}
      </>
    ),
  };
}

/** Links to the forms of acts, in each row that permits one. */
function rowActColumn(resource: Resource, view: View) {
  const acts = (resource.rowActs ?? []).filter(({ scope }) => view.can(scope));
  if (acts.length === 0) return [];
  const cell = (row: Json) => {
    const possible = acts.filter(({ when }) => when?.(row) ?? true);
    if (possible.length === 0) return <None />;
    return (
      <span class="cell-acts">
        {possible.map(({ label, href }) => (
          <a class="button quiet" href={href(row)}>
            {t(label)}
            <span class="visually-hidden"> {nameOf(resource, row)}</span>
          </a>
        ))}
      </span>
    );
  };
  return [{ name: t('Action'), cell }];
}

function ListActs({ resource, view }: { resource: Resource; view: View }) {
  const acts = (resource.acts ?? []).filter(({ scope }) => view.can(scope));
  return (
    <>
      <a class="button quiet" href={addressWith(resource, view, { format: 'csv' })}>
        CSV
      </a>
      {acts.map(({ name, label }, index) => (
        <a class={`button ${index === 0 ? 'primary' : 'quiet'}`} href={`${resource.path}/${name}`}>
          {t(label)}
        </a>
      ))}
    </>
  );
}

const BOOLEAN_LABELS: Readonly<Record<string, 'yes' | 'no'>> = { true: 'yes', false: 'no' };

function filterName(value: string): string {
  const truth = BOOLEAN_LABELS[value];
  return truth ? t(truth) : tName(value);
}

function FilterForm({ resource, view }: { resource: Resource; view: View }) {
  const { search, filters = [], dates } = resource;
  if (filterNames(resource).length === 0) return null;
  return (
    <search>
      <details class="filter-fold" {...(isFiltered(resource, view) && { open: true })}>
        <summary>{t('Filters')}</summary>
        <form class="filters full" method="get" action={resource.path} data-filters>
          {search && (
            <label class="search">
              <span class="visually-hidden">{t('Search')}</span>
              <input type="search" name="q" value={view.query('q')} placeholder={t('Search')} data-search />
              <span class="key" aria-hidden="true">
                /
              </span>
            </label>
          )}
          {filters.map(({ name, label, values, nameOf: nameOfValue = filterName }) => (
            <div class="choice">
              <label for={`filter-${name}`}>{t(label)}</label>
              {values ? (
                <select name={name} id={`filter-${name}`}>
                  <option value="">{t('any')}</option>
                  {values.map((one) => (
                    <option value={one} selected={one === view.query(name)}>
                      {nameOfValue(one)}
                    </option>
                  ))}
                </select>
              ) : (
                <input type="text" name={name} id={`filter-${name}`} value={view.query(name)} />
              )}
            </div>
          ))}
          {dates && <DateFields view={view} none={dates.none} />}
          <button type="submit" class="button quiet">
            {t('Filter')}
          </button>
        </form>
      </details>
    </search>
  );
}

function Pager({ resource, view, found }: { resource: Resource; view: View; found: Rows }) {
  const isCounted = found.totalPages !== undefined;
  const page = isCounted ? pageNumber(view) : 1;
  const isFirst = isCounted ? page === 1 : view.query('after') === '';
  const next = isCounted
    ? page < (found.totalPages ?? 1) && { page: page + 1 }
    : found.next !== undefined && { after: found.next };
  if (isFirst && !next && found.total === undefined) return null;
  return (
    <nav class="pages" aria-label={t('Pages')}>
      {!isFirst && (
        <a
          class="button quiet"
          href={addressWith(resource, view, isCounted && page > 2 ? { page: page - 1 } : {})}
          rel="prev"
        >
          {t(isCounted ? 'Previous' : 'First page')}
        </a>
      )}
      {found.total !== undefined && (
        <span class="muted">
          {tCount(found.total, '{count} row', '{count} rows')}
          {(found.totalPages ?? 1) > 1 &&
            `, ${t('page {page} of {pages}', { page, pages: found.totalPages ?? 1 })}`}
        </span>
      )}
      {next && (
        <a class="button quiet" href={addressWith(resource, view, next)} rel="next">
          {t('Next')}
        </a>
      )}
    </nav>
  );
}

const CSV_PAGE_ROWS = 100;

/** Columns of the file: those of the list and the details, without objects. */
const csvColumns = ({ columns, more = [] }: Resource): readonly Column[] => [
  ...columns,
  ...more.filter(({ as }) => as !== 'json'),
];

/** All rows that match the filter, page by page, so that the download starts immediately. */
export async function* csvOf(resource: Resource, view: View, api: PageApi): AsyncGenerator<string> {
  const columns = csvColumns(resource);
  const directory = await view.directory(...kindsOf(columns));
  const filter = filterQuery(resource, view);
  let [count, page, after] = [0, 1, ''];
  yield csvHead(columns);
  for (;;) {
    const paging: Query =
      resource.paging === 'pages'
        ? { page, per_page: CSV_PAGE_ROWS }
        : resource.paging === 'all'
          ? {}
          : { limit: CSV_PAGE_ROWS, [resource.paging === 'payments' ? 'starting_after' : 'after']: after };
    const found = await api.rows(resource.api, { ...filter, ...paging });
    for (const row of found.rows) {
      if (count === MAX_CSV_ROWS) {
        yield csvCut();
        return;
      }
      count += 1;
      yield csvLine(columns, row, directory);
    }
    const hasMore = resource.paging === 'pages' ? page < (found.totalPages ?? 1) : found.next !== undefined;
    if (!hasMore || found.rows.length === 0) return;
    page += 1;
    after = found.next ?? '';
  }
}

export const MAX_CSV_CALLS = MAX_CSV_ROWS / CSV_PAGE_ROWS + 5;
