// The list of a resource: filters, a page of rows, and a CSV file of all of them.
import type { Child } from 'hono/jsx';
import { asNumber, asText, type Json, memberOf } from '../api/json.ts';
import { type PageApi, type Query, type Rows, withQuery } from '../api/page-api.ts';
import type { Directory } from '../api/workspace.ts';
import { language, t, tCount, tName } from '../kit/language.ts';
import { Empty, None, Panel } from '../kit/small.tsx';
import { Table } from '../kit/table.tsx';
import { isNumeric, kindsOf, showOf, textOf, Value } from '../kit/value.tsx';
import { labelOf } from '../resources/labels.ts';
import {
  type Column,
  type Filter,
  idOf,
  nameOf,
  type Option,
  pathOf,
  type Resource,
} from '../resources/resource.ts';
import { PAGE_ROWS, type PageContent, type View } from '../view.ts';
import { csvCut, csvHead, csvLine, MAX_CSV_ROWS } from './csv.ts';
import { dateFields, rangeOf } from './dates.tsx';
import { FilterFields } from './filter-fields.tsx';
import { HiddenFields } from './form.tsx';

const MAX_PAGE = 1000;
const pageNumber = (view: View): number =>
  Math.min(Math.max(Math.trunc(Number(view.query('page'))) || 1, 1), MAX_PAGE);

/** Names of the filters in the URL. */
function filterNames({ filters = [], search, dates, hides }: Resource): string[] {
  return [
    ...(search ? ['q'] : []),
    ...filters.map(({ name }) => name),
    ...(dates ? ['period', 'from', 'to'] : []),
    ...(hides ? ['hidden'] : []),
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

const readPage = (resource: Resource, view: View, after?: string): Promise<Rows> =>
  view.api.rows(resource.api, {
    ...filterQuery(resource, view),
    ...pagingQuery(resource, view),
    ...(after && { after }),
    ...sortQuery(resource, view),
  });

/** A page of rows. If the list hides rows, it reads on until the page is full, as far as calls are left. */
async function readRows(resource: Resource, view: View): Promise<Rows> {
  const first = await readPage(resource, view);
  const { hides } = resource;
  if (!hides || view.query('hidden') !== '') return first;
  const shown = (rows: readonly Json[]) => rows.filter((row) => !hides.isHidden(row));
  let [rows, next] = [shown(first.rows), first.next];
  while (rows.length < PAGE_ROWS && next !== undefined && view.api.left > 0) {
    const page = await readPage(resource, view, next);
    rows = [...rows, ...shown(page.rows)];
    next = page.next;
  }
  return { rows, next };
}

/** The column that the rows are sorted by, from the URL. */
function sortOf({ columns }: Resource, view: View): { column: Column; descending: boolean } | undefined {
  const given = view.query('sort');
  const column = columns.find(({ name }) => name === given.replace(/^-/, ''));
  return column && { column, descending: given.startsWith('-') };
}

/** The order for the API, if it sorts by this column. */
function sortQuery(resource: Resource, view: View): Query {
  const sort = sortOf(resource, view);
  const name = sort && resource.sorts?.[sort.column.name];
  return name ? { sort: `${sort.descending ? '-' : ''}${name}` } : {};
}

/** Whether the page has all rows, so that it can sort them itself. */
const isWhole = ({ next, totalPages }: Rows, view: View): boolean =>
  next === undefined && (totalPages ?? 1) <= 1 && view.query('after') === '';

function sorted(resource: Resource, view: View, found: Rows, directory: Directory): readonly Json[] {
  const sort = sortOf(resource, view);
  if (!sort) return resource.compare ? found.rows.toSorted(resource.compare) : found.rows;
  if (resource.sorts?.[sort.column.name] || !isWhole(found, view)) return found.rows;
  const { column, descending } = sort;
  const keyOf = (row: Json) => asNumber(memberOf(row, column.name)) ?? sortText(column, row, directory);
  return found.rows.toSorted((one, other) => {
    const [left, right] = [keyOf(one), keyOf(other)];
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : String(left).localeCompare(String(right), language(), { numeric: true });
    return descending ? -order : order;
  });
}

/** Times as the API sends them, which sort by their text; everything else as people see it. */
const sortText = (column: Column, row: Json, directory: Directory): string => {
  const value = asText(memberOf(row, column.name));
  return /^\d{4}-\d{2}-\d{2}/.test(value) ? value : textOf(column, row, directory);
};

/** The link of a heading: ascending, then descending. */
function sortLink(resource: Resource, view: View, found: Rows, { name }: Column) {
  if (resource.sorts?.[name] === undefined && !(isWhole(found, view) && found.rows.length > 1)) return {};
  const sort = sortOf(resource, view);
  const isBy = sort?.column.name === name;
  return {
    sort: {
      href: addressWith(resource, view, { sort: isBy && !sort.descending ? `-${name}` : name }),
      direction: isBy ? (sort.descending ? ('descending' as const) : ('ascending' as const)) : undefined,
    },
  };
}

/** The URL of this list with other parameters. */
function addressWith(resource: Resource, view: View, more: Query): string {
  const kept = Object.fromEntries(filterNames(resource).map((name) => [name, view.query(name)]));
  return withQuery(view.path, {
    ...kept,
    ...(sortOf(resource, view) && { sort: view.query('sort') }),
    ...more,
  });
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
    actions: <ListActs resource={resource} view={view} rows={found.rows} />,
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
                    number: isNumeric(column),
                    ...sortLink(resource, view, found, column),
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
                rows={sorted(resource, view, found, directory)}
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
        {possible.map(({ label, href, direct }) => {
          const words = (
            <>
              {t(label)}
              <span class="visually-hidden"> {nameOf(resource, row)}</span>
            </>
          );
          return direct ? (
            <form method="post" action={href(row)} class="action">
              <HiddenFields view={view} />
              <button type="submit" class="button quiet">
                {words}
              </button>
            </form>
          ) : (
            <a class="button quiet" href={href(row)}>
              {words}
            </a>
          );
        })}
      </span>
    );
  };
  return [{ name: t('Action'), cell }];
}

function ListActs({ resource, view, rows }: { resource: Resource; view: View; rows: readonly Json[] }) {
  const acts = (resource.acts ?? []).filter(
    ({ scope, unless }) => view.can(scope) && !(unless && rows.some(unless)),
  );
  return (
    <>
      <a class="button quiet" href={addressWith(resource, view, { format: 'csv' })}>
        {t('Download CSV')}
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

/** The choices of a filter. Undefined for a text field. */
async function filterOptions(
  { values, options, nameOf: nameOfValue = filterName }: Filter,
  view: View,
): Promise<readonly Option[] | undefined> {
  return options ? options(view) : values?.map((value) => ({ value, text: nameOfValue(value) }));
}

async function FilterForm({ resource, view }: { resource: Resource; view: View }) {
  const { search, filters = [], dates, hides } = resource;
  if (filterNames(resource).length === 0) return null;
  const withOptions = await Promise.all(
    filters.map(async (filter) => ({ ...filter, choices: await filterOptions(filter, view) })),
  );
  const fields = [
    ...withOptions.map(({ name, label, choices }) => (
      <div class="choice">
        <label for={`filter-${name}`}>{t(label)}</label>
        {choices ? (
          <select name={name} id={`filter-${name}`}>
            <option value="">{t('any')}</option>
            {choices.map(({ value, text }) => (
              <option value={value} selected={value === view.query(name)}>
                {text}
              </option>
            ))}
          </select>
        ) : (
          <input type="text" name={name} id={`filter-${name}`} value={view.query(name)} />
        )}
      </div>
    )),
    ...(hides
      ? [
          <div class="choice">
            <label for="filter-hidden">{t(hides.label)}</label>
            <select name="hidden" id="filter-hidden">
              <option value="">{t('hidden')}</option>
              <option value="shown" selected={view.query('hidden') !== ''}>
                {t('shown')}
              </option>
            </select>
          </div>,
        ]
      : []),
    ...(dates ? dateFields(view, dates.none) : []),
  ];
  return (
    <FilterFields
      action={resource.path}
      isOpen={isFiltered(resource, view)}
      search={search ? view.query('q') : undefined}
      fields={fields}
    />
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

/** Columns of the file: those of the list and the details, without objects, and the currency of the amounts. */
function csvColumns({ columns, more = [] }: Resource): readonly Column[] {
  const all = [...columns, ...more.filter(({ as }) => as !== 'json')];
  const hasAmounts = all.some((column) => ['money', 'value'].includes(showOf(column, undefined)));
  return hasAmounts && all.every(({ name }) => name !== 'currency') ? [...all, { name: 'currency' }] : all;
}

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
    const found = await api.rows(resource.api, { ...filter, ...sortQuery(resource, view), ...paging });
    for (const row of found.rows) {
      if (view.query('hidden') === '' && resource.hides?.isHidden(row)) continue;
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
