// A list page's table, or the reason why it is empty.
import type { Child } from 'hono/jsx';
import { t } from './language.ts';
import { Empty, Panel } from './small.tsx';
import { type Column, Table } from './table.tsx';

interface ListProps<Row> {
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
export function List<Row>({ live, filtered, none, children, ...table }: ListProps<Row>) {
  return (
    <Panel live={live}>
      {table.rows.length > 0 ? (
        <Table {...table} />
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
