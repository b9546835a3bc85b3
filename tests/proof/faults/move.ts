// Moves a tenant from one stack to the other during load and faults, and empties the source.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { RunState } from './run-state.ts';
import type { TestBed } from './test-bed.ts';

const GIVES_UP_AFTER_MS = 15 * 60_000;
/** Errors about the data, not about a connection. */
const REFUSED = /differs|cannot be moved|point_differences/;

export interface Route {
  slug: string;
  from: TestBed;
  to: TestBed;
}

/** Runs the command until the tenant is moved and deleted at the source; kills it from time to time. */
export async function moveTenant(route: Route, state: RunState, random: Random): Promise<void> {
  const startedAt = Date.now();
  const options = random.pick([[], ['--with-log'], ['--rate-mb', '5'], ['--window-seconds', '30']]);
  const moves = await repeat(route, ['move', ...options], state, random);
  const finishes = await repeat(route, ['finish', '--confirm', route.slug], state, random);
  console.log(
    `  moved ${route.slug} ${options.join(' ')} in ${Math.round((Date.now() - startedAt) / 1000)} s: ran "move" ${moves} times, "finish" ${finishes} times`,
  );
}

/** Returns the number of runs. */
async function repeat(route: Route, args: string[], state: RunState, random: Random): Promise<number> {
  const startedAt = Date.now();
  for (let run = 1; ; run++) {
    const killAfterMs = random.chance(0.5) ? random.between(300, 30_000) : undefined;
    const { code, stderr } = await runOnce(route, args, killAfterMs);
    state.count(state.answers, `tenant ${args[0]} ${code ?? 'killed'}`);
    if (code === 0) return run;
    const said = code === 1 ? stderr : stderr.trimEnd().split('\n').at(-1);
    console.log(`  tenant ${args[0]}: ${code ?? 'killed'}; ${said}`);
    state.check(code === null || !REFUSED.test(stderr), () => `tenant ${args[0]}: ${stderr}`);
    if (Date.now() - startedAt > GIVES_UP_AFTER_MS) throw new Error(`The tenant is not moved: ${stderr}`);
    await pause(random.between(0, 2000));
  }
}

async function runOnce(
  { slug, from, to }: Route,
  [command = '', ...options]: string[],
  killAfterMs: number | undefined,
): Promise<{ code: number | null; stderr: string }> {
  const program = [
    '--import',
    'tsx',
    'clients/typescript/src/cli/main.ts',
    '--json',
    'tenant',
    command,
    slug,
  ];
  const sides = ['--from', from.settingsFile, '--to', to.settingsFile];
  const child = spawn(process.execPath, [...program, ...sides, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr = (stderr + data).slice(-600);
  });
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  clearTimeout(timer);
  return { code, stderr };
}
