// A list page's table, or the reason why it is empty.
import type { Child } from 'hono/jsx';
import { t } from '../../clients/console/kit/language.ts';
import { Empty, Panel } from '../../clients/console/kit/small.tsx';
import { type Column, Table } from '../../clients/console/kit/table.tsx';
import { PAGE_ROWS, type View } from './view.ts';

interface ListProps<Row> {
  /** The request, whose page of rows is shown. */
  view: Pick<View, 'page' | 'path'>;
  /** Id of the region that is refreshed. */
  live: string;
  /** Accessible name. */
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** The active filters, the title if no row matches them, and the path without filters. */
  filtered?: { by: Readonly<Record<string, string>>; none: string; path: string };
  /** Title if there are no rows without filters. `children` explain how to create one. */
  none: string;
  children: Child;
}

/** A table in a panel. If it is empty, a message says whether the filters match nothing or there are no rows. */
export function List<Row>({ view, live, filtered, none, children, rows, ...table }: ListProps<Row>) {
  return (
    <Panel live={live}>
      {rows.length > 0 ? (
        <>
          <Table {...table} rows={rows.slice(0, PAGE_ROWS)} />
          <Pages view={view} by={filtered?.by ?? {}} more={rows.length > PAGE_ROWS} />
        </>
      ) : filtered && Object.values(filtered.by).some(Boolean) ? (
        <Empty title={filtered.none}>
          <a href={filtered.path}>{t('Show all')}</a>
        </Empty>
      ) : (
        <Empty title={none}>{children}</Empty>
      )}
    </Panel>
  );
}

/** Links to the pages before and after this one. */
function Pages({
  view,
  by,
  more,
}: {
  view: Pick<View, 'page' | 'path'>;
  by: Readonly<Record<string, string>>;
  more: boolean;
}) {
  if (view.page === 1 && !more) return null;
  const names: Readonly<Record<string, string>> = { text: 'q' };
  const linkTo = (page: number) => {
    const query = Object.entries(by).filter(([, value]) => value !== '');
    const parameters = new URLSearchParams(query.map(([name, value]) => [names[name] ?? name, value]));
    if (page > 1) parameters.set('page', String(page));
    return parameters.size > 0 ? `${view.path}?${parameters}` : view.path;
  };
  return (
    <nav class="pages" aria-label={t('Pages')}>
      {view.page > 1 && (
        <a class="button quiet" href={linkTo(view.page - 1)} rel="prev">
          {t('Newer')}
        </a>
      )}
      <span class="muted">{t('Page {page}', { page: view.page })}</span>
      {more && (
        <a class="button quiet" href={linkTo(view.page + 1)} rel="next">
          {t('Older')}
        </a>
      )}
    </nav>
  );
}
