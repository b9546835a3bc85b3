// `npm start` as root in a folder that only root may enter, while Postgres runs as another user below it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { claimPort } from '../../local/ports.ts';
import { killAll, start } from '../support/clients/npm-start.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'placar-private-'));
afterAll(() => {
  killAll(home);
  rmSync(home, { recursive: true, force: true });
});

test.runIf(process.platform === 'linux' && userInfo().uid === 0)(
  'a project that only root can access starts, and starts again',
  async () => {
    expect(statSync(home).mode & 0o077).toBe(0);
    const parts = readdirSync(root).filter((name) => !['.git', '.local'].includes(name));
    copy(parts, home);
    const options = { project: home, dir: join(home, '.local'), port: await claimPort() };
    for (const _ of ['first', 'second']) {
      const running = start({ ...options, command: 'node' });
      const info = await running.ready();
      expect((await fetch(`${info.base_url}/functions/v1/v1/health`)).status).toBe(200);
      process.kill(running.pid, 'SIGTERM');
      expect(await running.exited).toBe(0);
    }
  },
);

/** As links if both folders are on one disk. */
function copy(names: string[], target: string): void {
  try {
    execFileSync('cp', ['-al', ...names, target], { cwd: root, stdio: 'ignore' });
  } catch {
    execFileSync('cp', ['-af', ...names, target], { cwd: root });
  }
}
