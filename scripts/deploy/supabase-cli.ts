// Runs the Supabase CLI, without secrets in its arguments or output.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../local/start-error.ts';
import type { Deployment } from './deployment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface CliResult {
  ok: boolean;
  output: string;
}

/** Throws a {@link StartError} with the output of the CLI if it cannot reach the project: no access token, or a wrong project. */
export async function checkProject(deployment: Deployment, tree: string): Promise<void> {
  const lines: string[] = [];
  const args = ['functions', 'list', ...remoteOf(deployment)];
  const { ok } = await runSupabase(args, { tree, deployment, print: (line) => lines.push(line) });
  if (ok) return;
  throw new StartError(
    `${lines.join('\n')}\nNothing was deployed: the Supabase CLI cannot read the functions of the project. Set SUPABASE_ACCESS_TOKEN, and for a custom domain SUPABASE_PROJECT_ID in ${deployment.envFile}.`,
  );
}

/** The option that selects the project. */
export const remoteOf = ({ projectRef }: Deployment): string[] =>
  projectRef ? [`--remote=${projectRef}`] : [];

/** Runs the program in `SUPABASE_CLI` (default: `npx supabase`) on a tree. Prints its output. */
export function runSupabase(
  args: readonly string[],
  { tree, deployment, print }: { tree: string; deployment: Deployment; print: (line: string) => void },
): Promise<CliResult> {
  const [program = 'npx', ...first] = (process.env.SUPABASE_CLI || 'npx supabase').split(' ');
  const child = spawn(program, [...first, ...args, `--workdir=${tree}`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NO_COLOR: '1',
      SUPABASE_TELEMETRY_DISABLED: '1',
      SUPABASE_NO_UPDATE_NOTIFIER: '1',
    },
  });
  const lines: string[] = [];
  const tell = (line: string) => {
    lines.push(line);
    print(deployment.hideSecrets(`  ${line}`));
  };
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', tell);
  return new Promise((resolve) => {
    child.once('error', (error) => tell(`${program}: ${error.message}`));
    child.once('close', (code) => resolve({ ok: code === 0, output: lines.join('\n') }));
  });
}
