// A temporary database of a Supabase project without any of Placar's objects.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { providePlatform } from '../../local/postgres/provision.ts';
import { startPostgres } from '../../local/postgres/server.ts';

/** Calls `use` with the URL of an empty project's database, and removes the database afterwards. */
export async function withTemporaryDatabase<T>(use: (url: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'placar-database-'));
  try {
    const password = randomBytes(16).toString('hex');
    const server = await startPostgres({ dir: join(dir, 'postgres'), password, durable: false });
    try {
      await providePlatform(server, password);
      return await use(server.url);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
