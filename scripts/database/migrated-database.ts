// Provides a migrated database: that of DATABASE_URL, or a temporary one with all migrations.
import { pushMigrations } from '../../local/postgres/provision.ts';
import { withTemporaryDatabase } from './temporary-database.ts';

/** Calls `use` with the URL of a migrated database, and removes temporary databases afterwards. */
export async function withMigratedDatabase<T>(use: (url: string) => Promise<T>): Promise<T> {
  const given = process.env.DATABASE_URL;
  if (given) return await use(given);
  return await withTemporaryDatabase(async (url) => {
    await pushMigrations(url, { seed: false });
    return await use(url);
  });
}
