// Runs the script of `npm run check:provider`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Run {
  code: number | null;
  out: string;
}

/** Runs it with only these environment variables of ours. */
export function runCheckProvider(args: string[], env: Record<string, string>): Promise<Run> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'tests/conformance/check-provider.ts', ...args], {
    cwd: root,
    env: { PATH, HOME, ...env },
  });
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    out += data;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })));
}
