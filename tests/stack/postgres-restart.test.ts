// A Postgres of the local stack that dies.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../local/postgres/server.ts';
import { waitFor } from '../support/wait-for.ts';

test('is reported, and restarted at the same address with its data', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'placar-postgres-'));
  const told: string[] = [];
  const server = await startPostgres({
    dir: join(dir, 'postgres'),
    password: 'local',
    durable: false,
    onDeath: (line) => told.push(line),
  });
  const sql = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.end({ timeout: 1 });
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  await sql`create table kept (n integer)`;
  const pid = server.pid();
  process.kill(pid, 'SIGKILL');
  // A response that the killed process left behind may still arrive once.
  await waitFor(() => server.pid() !== pid);
  await waitFor(async () => (await sql`select from kept`.catch(() => undefined)) !== undefined);
  expect(told[0]).toMatch(/^Postgres exited \(SIGKILL\)/);
});
