// A list of a page: its table, or why there is none.
import type { Child } from 'hono/jsx';
import { Empty, Panel } from './small.tsx';
import { type Column, Table } from './table.tsx';

interface ListProps<Row> {
  /** Names the part of the page that is kept up to date. */
  live: string;
  /** What it lists, for who cannot see it. */
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** What was asked for, nothing where all values are empty; the word for one of them; where all are shown. */
  filtered?: { by: Readonly<Record<string, string>>; what: string; path: string };
  /** Said where there is none at all; `children` say how one comes about. */
  none: string;
  children: Child;
}

/** A table in a panel. Without rows it says why: none fits what was asked for, or there is none. */
export function List<Row>({ live, filtered, none, children, ...table }: ListProps<Row>) {
  return (
    <Panel live={live}>
      {table.rows.length > 0 ? (
        <Table {...table} />
      ) : filtered && Object.values(filtered.by).some(Boolean) ? (
        <Empty title={`No ${filtered.what} is like that`}>
          <a href={filtered.path}>Show all</a>
        </Empty>
      ) : (
        <Empty title={none}>{children}</Empty>
      )}
    </Panel>
  );
}
