// Tables that become cards where there is no room for columns.
import type { Child } from 'hono/jsx';

export interface Column<Row> {
  name: string;
  /** Numbers stand at the right. */
  number?: boolean;
  cell(row: Row): Child;
}

interface TableProps<Row> {
  /** What it lists, for who cannot see it. */
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  /** What a row is known by while the page changes. */
  keyOf(row: Row): string;
}

/** The first column names the row. */
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
