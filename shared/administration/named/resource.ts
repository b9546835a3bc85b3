// Resources of the admin API whose records have names: missions, tiers, badges, challenges, seasons, stages and automations. They are
// created, read, changed and deleted alike.
import type { Fragment, Sql, Work } from '../../platform/db/database.ts';
import type { JsonColumns } from '../../platform/db/sql.ts';

export interface NamedResource {
  /** What errors call a record. */
  kind: string;
  /** Table of the schema public. */
  table: string;
  /** Columns that a request may set. */
  columns: JsonColumns;
  /** Members of a new record that the body lacks, for `check`. */
  defaults?: Body;
  /** Members that the service counts, which do not change the version. */
  counted?: readonly string[];
  /** Scopes of which one permits reading the names. */
  readers?: readonly string[];
  /** The JSON of a row `r`, in the order of the schema. */
  record(sql: Sql): Fragment;
  /** Whether something needs the row `r`, which therefore cannot be deleted. The reason of the error is `<kind>_in_use`. */
  isInUse?(sql: Sql): Fragment;
  /** Members of a body that are not as they are stored, as SQL by their column. */
  resolve?(sql: Sql, body: Body, tenantId: string): Readonly<Record<string, Fragment>>;
  /** Rejects what the caller may not do, before names are resolved. */
  authorize?(sql: Sql, candidate: Candidate): Work;
  /** Rejects a row that contradicts itself or others. */
  check?(sql: Sql, candidate: Candidate): Work;
  /** Writes the members of a body that are not columns. */
  writeOthers?(sql: Sql, id: Fragment, body: Body): Work;
  /** Removes what belongs to the record, before the record. */
  deleteOthers?(sql: Sql, id: Fragment): Work;
}

/** A parsed body. */
export type Body = Readonly<Record<string, unknown>>;

/** The row as the request would leave it. */
interface Candidate {
  /** A subquery with the row. */
  row: Fragment;
  /** The row before the change, as a subquery with at most one row. */
  old: Fragment;
  tenantId: string;
  body: Body;
}
