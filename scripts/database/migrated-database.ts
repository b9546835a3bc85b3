// Provides a migrated database: that of DATABASE_URL, or a temporary one with all migrations.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { providePlatform, pushMigrations } from '../../local/postgres/provision.ts';
import { startPostgres } from '../../local/postgres/server.ts';

/** Calls `use` with the URL of a migrated database, and removes temporary databases afterwards. */
export async function withMigratedDatabase<T>(use: (url: string) => Promise<T>): Promise<T> {
  const given = process.env.DATABASE_URL;
  if (given) return await use(given);
  const dir = await mkdtemp(join(tmpdir(), 'placar-database-'));
  try {
    const password = randomBytes(16).toString('hex');
    const server = await startPostgres({ dir: join(dir, 'postgres'), password, durable: false });
    try {
      await providePlatform(server, password);
      await pushMigrations(server.url, { seed: false });
      return await use(server.url);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
