// Tables that turn into cards on narrow screens.
import type { Child } from 'hono/jsx';

export interface Column<Row> {
  name: string;
  /** Aligns the column to the right. */
  number?: boolean;
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
            {columns.map(({ name, number }) => (
              <th scope="col" class={number ? 'number' : ''}>
                {name}
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
