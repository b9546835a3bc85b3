// Commands of operators: their usage, a file that does not exist, and the schedule.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../local/ports.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Runs a script of package.json in a shell, as npm does. Returns its exit code and output. */
async function npmRun(script: string, ...args: string[]) {
  const child = spawn('sh', ['-c', `${scripts[script]} "$@"`, 'sh', ...args], { cwd: root });
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, stdout, stderr };
}

test.each(['deploy', 'migrate', 'check:staging', 'schedule'])('npm run %s', async (script) => {
  const help = await npmRun(script, '--help');
  expect(help).toEqual({ code: 0, stdout: expect.stringContaining(`Usage: npm run ${script}`), stderr: '' });
  // Node reads options of its own behind the name of the script, too.
  const args = ['--env-file', 'nope', ...(script === 'deploy' ? ['--tag', 'HEAD'] : [])];
  expect(await npmRun(script, ...args)).toEqual({ code: 1, stdout: '', stderr: 'Cannot read nope.\n' });
});

test('npm run schedule reads the file, and gives the cause if QStash is unreachable', async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.headers.authorization} ${request.url}`);
    response.end('{"scheduleId":"placar-sweep"}');
  });
  const port = await listen(server);
  const dir = mkdtempSync(join(tmpdir(), 'placar-schedule-'));
  onTestFinished(() => {
    server.close();
    rmSync(dir, { recursive: true });
  });
  const file = join(dir, 'env');
  const write = (qstash: string) =>
    writeFileSync(
      file,
      `QSTASH_URL=${qstash}\nQSTASH_TOKEN=of-the-file\nFUNCTIONS_URL=https://placar.example/functions/v1\n`,
    );
  write(`http://127.0.0.1:${port}`);
  const made = await npmRun('schedule', '--env-file', file);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('callbacks/sweep every minute.') });
  expect(requests).toEqual([
    expect.stringMatching(/^Bearer of-the-file \/v2\/schedules\/.*callbacks\/sweep/),
  ]);
  write('http://127.0.0.1:1');
  const unreachable = await npmRun('schedule', '--env-file', file);
  expect(unreachable.code).toBe(1);
  expect(unreachable.stderr).toMatch(/QStash has no schedule for the sweep: fetch failed: bad port\n$/);
});
