// Git access for `npm run deploy` and `npm run proof:upgrade`: commits, releases, and trees in separate folders.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../local/start-error.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A tree has some megabytes. */
const MAX_ARCHIVE_BYTES = 1024 ** 3;

/** Commits and tags of a repository. */
export class Repository {
  readonly #folder: string;

  constructor(folder: string = root) {
    this.#folder = folder;
  }

  /** The commit of a tag, branch or other ref. Throws a {@link StartError} if it does not exist. */
  commitOf(ref: string): string {
    const commit = this.#git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
    if (commit === undefined) throw new StartError(`git has no tag or commit ${ref}. Run git fetch --tags.`);
    return commit;
  }

  /** Whether the release tag exists. */
  hasTag = (tag: string): boolean =>
    this.#git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}`) !== undefined;

  /** The release tag of a commit, otherwise the commit; undefined if git does not have it. */
  nameOf(commit: string): string | undefined {
    if (this.#git('cat-file', '-e', `${commit}^{commit}`) === undefined) return undefined;
    return this.#git('describe', '--tags', '--exact-match', '--match', 'v*', commit) ?? commit;
  }

  /** The newest release tag before a commit; undefined if there is none. */
  releaseBefore = (commit: string): string | undefined =>
    this.#git('describe', '--tags', '--abbrev=0', '--match', 'v*', `${commit}^`);

  /** Release tags that one commit contains and another does not. */
  releasesBetween(older: string, newer: string): string[] {
    const tags = this.#git('tag', '--list', 'v*', '--merged', newer, '--no-merged', older);
    return tags ? tags.split('\n') : [];
  }

  /** The oldest commit since which files were only added to this folder: before it, others were changed. Undefined without git. */
  firstBeforeAdditions(folder: string): string | undefined {
    const changed = this.#git('log', '-1', '--diff-filter=DMRT', '--format=%H', '--', folder);
    return changed || this.#git('rev-list', '--max-parents=0', 'HEAD');
  }

  /** Versions of all migrations on any branch or tag; empty without git. */
  migrationsOfAllVersions(): Set<string> {
    const names = this.#git(
      'log',
      '--all',
      '--format=',
      '--name-only',
      '--diff-filter=A',
      '--',
      'migrations',
    );
    return new Set(names?.match(/(?<=^migrations\/)\d{14}(?=_)/gm));
  }

  /** Puts the tree of a commit into a new folder. */
  extract(commit: string): Tree {
    const dir = mkdtempSync(join(tmpdir(), 'placar-tree-'));
    const options = { cwd: this.#folder, maxBuffer: MAX_ARCHIVE_BYTES };
    execFileSync('tar', ['-x', '-C', dir], { input: execFileSync('git', ['archive', commit], options) });
    return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
  }

  #git(...args: string[]): string | undefined {
    try {
      return execFileSync('git', args, {
        cwd: this.#folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    } catch {
      return undefined;
    }
  }
}

export interface Tree {
  dir: string;
  remove(): void;
}
