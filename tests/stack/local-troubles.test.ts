// `npm start` while one of its parts fails: it reports the failure and continues.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claimPort } from '../../local/ports.ts';
import { findProcess, killAll, start } from '../support/clients/npm-start.ts';
import { sync } from '../support/gamification/sync.ts';
import { waitFor } from '../support/wait-for.ts';

test.runIf(existsSync('/dev/full'))('a full disk for logs, and a Postgres that dies', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'placar-troubles-'));
  onTestFinished(() => {
    killAll(dir);
    rmSync(dir, { recursive: true, force: true });
  });
  mkdirSync(join(dir, 'logs'));
  symlinkSync('/dev/full', join(dir, 'logs', 'postgres.log'));
  const stack = start({ dir, port: await claimPort(), command: 'node' });
  const { base_url: url, api_key: apiKey } = await stack.ready();
  await stack.printed('postgres.log; its log lines are lost');

  process.kill(findProcess(dir, 'bin/postgres -D'), 'SIGKILL');
  await stack.printed('Postgres exited (SIGKILL); restarting.');
  const body = { action: 'sync_activities', activities: [] };
  await waitFor(async () => (await sync(apiKey, body, { baseUrl: `${url}/functions/v1` })).status === 200);
  process.kill(-stack.pid, 'SIGINT');
  expect(await stack.exited).toBe(0);
});
