// The OpenAPI documents that functions serve and git does not have, in the tree of a version.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../local/start-error.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const GENERATOR = 'docs/openapi/generate.ts';

/** Writes them with the code of the tree, and the packages of this checkout if it has the same, otherwise from the registry. */
export function writeBuiltDocuments(dir: string, ref: string): void {
  if (!existsSync(join(dir, GENERATOR))) return;
  const packages = join(dir, 'node_modules');
  const lockOf = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const run = (program: string, args: string[]) =>
    execFileSync(program, args, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    if (lockOf(dir) === lockOf(root)) symlinkSync(join(root, 'node_modules'), packages);
    else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    run(process.execPath, ['--import', 'tsx', GENERATOR, 'built']);
  } catch {
    throw new StartError(`The OpenAPI documents of ${ref} could not be written: see above.`);
  } finally {
    rmSync(packages, { recursive: true, force: true });
  }
}
