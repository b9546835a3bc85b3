// Runs the script of `npm run check:crm`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../wait-for.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface CheckCrmRun {
  /** Waits for output, and returns what matches. */
  output(pattern: RegExp): Promise<string>;
  write(line: string): void;
  interrupt(): void;
  /** The exit code and all output. */
  finished: Promise<{ code: number | null; out: string }>;
}

/** Runs it with only these environment variables of ours. */
export function startCheckCrm(args: string[], env: Record<string, string>): CheckCrmRun {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'tests/conformance/check-crm.ts', ...args], {
    cwd: root,
    env: { PATH, HOME, ...env },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      out += data;
    });
  return {
    output: (pattern) => waitFor(() => pattern.exec(out)?.[0]),
    write: (line) => void child.stdin.end(`${line}\n`),
    interrupt: () => void child.kill('SIGINT'),
    finished: new Promise((resolve) => child.on('close', (code) => resolve({ code, out }))),
  };
}
