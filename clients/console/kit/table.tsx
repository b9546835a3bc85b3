// Tables that turn into cards on narrow screens.
import type { Child } from 'hono/jsx';

export interface Column<Row> {
  name: string;
  /** Aligns the column to the right. */
  number?: boolean;
  /** Address of the rows in the order of this column, and their present direction by it. */
  sort?: { href: string; direction: 'ascending' | 'descending' | undefined };
  cell(row: Row): Child;
}

interface TableProps<Row> {
  /** Accessible name. */
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  /** Identifies a row across refreshes. */
  keyOf(row: Row): string;
}

/** The first column is the row header. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <section class="table-box" tabindex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, number, sort }) => (
              <th
                scope="col"
                class={number ? 'number' : ''}
                {...(sort?.direction && { 'aria-sort': sort.direction })}
              >
                {sort ? (
                  <a class="sort" href={sort.href}>
                    {name}
                  </a>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr data-key={keyOf(row)}>
              {columns.map(({ name, number, cell }) => (
                <td data-label={name} class={number ? 'number' : ''}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
