// A version that can be deployed: its commit, and its tree in a separate folder.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../local/start-error.ts';
import { writeBuiltDocuments } from './built-documents.ts';
import type { Repository, Tree } from './git.ts';

export interface Release extends Tree {
  /** As it was given: a tag or another ref. */
  ref: string;
  commit: string;
  /** For commands and messages: the release tag, or the commit. `ref` may mean another commit later. */
  name: string;
  /** Whether its functions report their commit. */
  reportsCommit: boolean;
  /** `version` of its package.json. */
  version: string;
  /** Names of the functions to deploy, `callbacks` first. */
  functions: string[];
}

/** Reads a version from git, without the functions that are left out. Throws a {@link StartError} if git does not have it. */
export function readRelease(
  repository: Repository,
  ref: string,
  excludedFunctions: readonly string[],
): Release {
  const commit = repository.commitOf(ref);
  const tree = repository.extract(commit);
  writeBuiltDocuments(tree.dir, ref);
  const { version } = JSON.parse(readFileSync(join(tree.dir, 'package.json'), 'utf8')) as { version: string };
  const functions = readdirSync(join(tree.dir, 'functions'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !excludedFunctions.includes(name))
    // It runs the jobs that the others create, so it must know them first.
    .sort((a, b) => Number(b === 'callbacks') - Number(a === 'callbacks') || a.localeCompare(b));
  const tag = repository.nameOf(commit);
  const name = tag === undefined || tag === commit ? commit.slice(0, 12) : tag;
  return { ...tree, ref, commit, name, version, functions, reportsCommit: hasCommit(tree, commit) };
}

/** `git archive` writes the commit into this file. */
function hasCommit({ dir }: Tree, commit: string): boolean {
  const path = join(dir, 'shared/platform/version.ts');
  return existsSync(path) && readFileSync(path, 'utf8').includes(commit);
}

/** Throws a {@link StartError} if more than one release lies between two versions: migrations are compatible with one. */
export function checkOneRelease(
  repository: Repository,
  older: Release,
  newer: string,
  newerCommit: string,
): void {
  const between = repository.releasesBetween(older.commit, newerCommit);
  if (between.length > 1)
    throw new StartError(
      `${older.ref} is ${between.length} releases before ${newer} (${between.join(', ')}), and the database is compatible with one. Go one release at a time.`,
    );
}

/** Throws a {@link StartError} if the running version is newer than the release and git does not have it. */
export function checkKnownVersion(repository: Repository, { ref, version }: Release, running: string): void {
  if (repository.hasTag(`v${running}`)) return;
  if (running.localeCompare(version, 'en', { numeric: true }) <= 0) return;
  throw new StartError(
    `Version ${running} runs, which is newer than ${ref}, and git does not have it. Run git fetch --tags. To go back, use --rollback.`,
  );
}

/** In a workflow: throws a {@link StartError} unless the newest run of CI for the commit succeeded. */
export async function checkContinuousIntegration({ ref, commit }: Release): Promise<void> {
  const { GITHUB_ACTIONS, GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN } = process.env;
  if (GITHUB_ACTIONS !== 'true') return;
  const path = `/repos/${GITHUB_REPOSITORY}/actions/workflows/ci.yml/runs?head_sha=${commit}`;
  const response = await fetch(`${GITHUB_API_URL}${path}`, {
    headers: {
      Accept: 'application/vnd.github+json',
      ...(GITHUB_TOKEN && { Authorization: `Bearer ${GITHUB_TOKEN}` }),
    },
  });
  if (!response.ok) {
    throw new StartError(
      `GitHub returned ${response.status} for the CI runs of ${ref}. In a private repository, add "actions: read" to the permissions in deploy.yml.`,
    );
  }
  const { workflow_runs: runs = [] } = (await response.json()) as {
    workflow_runs?: { conclusion: string | null; status: string }[];
  };
  const [newest] = runs;
  if (newest?.conclusion !== 'success')
    throw new StartError(
      `CI of ${ref} (${commit.slice(0, 8)}) is not green: ${newest?.conclusion ?? newest?.status ?? 'it has not run'}.`,
    );
}
