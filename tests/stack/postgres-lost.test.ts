// `npm start` when it loses its own connection in the middle of a transaction.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, expect, test } from 'vitest';
import { claimPort } from '../../local/ports.ts';
import { createSupabaseClient } from '../platform/platform-database.ts';
import { killAll, start } from '../support/clients/npm-start.ts';
import { waitFor } from '../support/wait-for.ts';

const home = mkdtempSync(join(tmpdir(), 'placar-lost-'));
afterEach(() => {
  killAll(home);
  rmSync(home, { recursive: true, force: true });
});

test.runIf(process.platform === 'linux')(
  'Storage loses its transaction, and the stack keeps running',
  async () => {
    const dir = join(home, 'stack');
    const running = start({ dir, port: await claimPort(), command: 'node' });
    const info = await running.ready();
    let ended = false;
    void running.exited.then(() => {
      ended = true;
    });
    const { supabaseSecretKey } = JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8'));
    const { storage } = createSupabaseClient(info.base_url, supabaseSecretKey);
    await storage.createBucket('lost');
    const upload = () => storage.from('lost').upload('a.txt', 'text', { upsert: true });

    const sql = postgres(info.database_url, { max: 1, onnotice: () => {} });
    const held = await sql.reserve();
    await held`begin`;
    await held`lock table storage.objects in access exclusive mode`;
    const waiting = upload();
    const [backend] = await waitFor(async () => {
      const rows = await held`
      select distinct pid from pg_locks where relation = 'storage.objects'::regclass and not granted`;
      return rows.length > 0 && rows;
    });
    // Without a message to its client. Postgres then closes all connections and restarts.
    process.kill(backend?.pid, 'SIGKILL');
    expect((await waiting).error).not.toBeNull();
    await sql.end({ timeout: 1 });

    await waitFor(async () => ended || (await upload()).error === null);
    expect([ended, running.stderr()]).toEqual([false, expect.not.stringContaining('nextWrite')]);
  },
);
