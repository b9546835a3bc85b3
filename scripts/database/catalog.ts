// Reads the catalog of a migrated database in a fixed order. Omits partitions, which change every month.
import postgres from 'postgres';
import * as queries from './catalog-queries.ts';

export interface Table {
  /** Includes the schema: `public.deals`. The same applies to functions and views. */
  name: string;
  comment: string | null;
  /** Partition key, such as `RANGE (at)`. */
  partitionedBy: string | null;
  columns: Column[];
  constraints: Constraint[];
  indexes: Index[];
  policies: Policy[];
  grants: Grant[];
  triggers: Trigger[];
}

export interface Column {
  name: string;
  type: string;
  nullable: boolean;
  default: string | null;
  comment: string | null;
}

export interface Constraint {
  name: string;
  kind: 'primary key' | 'unique' | 'foreign key' | 'check';
  columns: string[];
  definition: string;
  /** For foreign keys. */
  references: string | null;
  onDelete: string | null;
}

export interface Index {
  name: string;
  definition: string;
}

export interface Policy {
  name: string;
  command: string;
  roles: string[];
}

export interface Grant {
  role: string;
  privilege: string;
  /** Null for the whole table. */
  columns: string[] | null;
}

export type TriggerEvent = 'INSERT' | 'UPDATE' | 'DELETE' | 'TRUNCATE';

export interface Trigger {
  name: string;
  before: boolean;
  row: boolean;
  events: TriggerEvent[];
  /** Columns of `UPDATE OF`. */
  columns: string[];
  condition: string | null;
  deferred: boolean;
  function: string;
}

export interface DatabaseFunction {
  name: string;
  arguments: string;
  result: string;
  language: string;
  definer: boolean;
  volatility: string;
  comment: string | null;
  executableBy: string[];
  body: string;
}

export interface View {
  name: string;
  comment: string | null;
}

export interface Catalog {
  tables: Table[];
  functions: DatabaseFunction[];
  views: View[];
}

type OfTable<T> = T & { table: string };

/** Reads the schemas public, app, admin and private of the database at this URL. */
export async function readCatalog(databaseUrl: string): Promise<Catalog> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const tables = await sql<
      Omit<Table, 'columns' | 'constraints' | 'indexes' | 'policies' | 'grants' | 'triggers'>[]
    >`
        ${sql.unsafe(queries.tables)}`;
    const columns = await sql.unsafe<OfTable<Column>[]>(queries.columns);
    const constraints = await sql.unsafe<OfTable<Constraint>[]>(queries.constraints);
    const indexes = await sql.unsafe<OfTable<Index>[]>(queries.indexes);
    const policies = await sql.unsafe<OfTable<Policy>[]>(queries.policies);
    const grants = await sql.unsafe<OfTable<Grant>[]>(queries.grants);
    const triggers = await sql.unsafe<OfTable<Trigger>[]>(queries.triggers);
    const functions = await sql.unsafe<DatabaseFunction[]>(queries.functions);
    const views = await sql.unsafe<View[]>(queries.views);
    return {
      tables: tables.map((table) => {
        const own = <T>(rows: OfTable<T>[]): T[] => rows.filter((row) => row.table === table.name);
        return {
          ...table,
          columns: own(columns),
          constraints: own(constraints),
          indexes: own(indexes),
          policies: own(policies),
          grants: own(grants),
          triggers: own(triggers),
        };
      }),
      functions: [...functions],
      views: [...views],
    };
  } finally {
    await sql.end();
  }
}
