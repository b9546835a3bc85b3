// Whom Postgres runs as when `npm start` is run by root, which Postgres refuses to run as.
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { runChild } from '../processes.ts';
import { StartError } from '../start-error.ts';

export interface Identity {
  uid: number;
  gid: number;
  /** Command that comes before the program's own and changes to that user; empty where plain spawning does. */
  prefix: string[];
}

/**
 * Undefined when this process is not root. Throws a {@link StartError} when another user cannot get at these paths,
 * whatever is tried.
 */
export async function chooseIdentity(paths: string[]): Promise<Identity | undefined> {
  if (userInfo().uid !== 0) return undefined;
  const accounts = await readFile('/etc/passwd', 'utf8');
  const account = accounts.match(/^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m);
  const [uid, gid] = [Number(account?.[1] ?? 65534), Number(account?.[2] ?? 65534)];
  const [closed] = paths.flatMap(closedFolders);
  if (closed === undefined) return { uid, gid, prefix: [] };

  // Below a private folder such as /root: keep the right to pass through folders, drop everything else. Without the
  // last flag access(2), by which Postgres looks for its programs, does not count that right.
  const caps = '+dac_override';
  const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const rights = [`--inh-caps=${caps}`, `--ambient-caps=${caps}`, '--securebits=+no_setuid_fixup'];
  const prefix = ['setpriv', ...user, ...rights];
  const [program = '', ...args] = [...prefix, 'test', '-x', paths.at(-1) ?? ''];
  const { PATH = '' } = process.env;
  await runChild(program, args, { env: { PATH } }).catch(() => {
    throw new StartError(
      `Postgres does not run as root, and its user may not enter ${closed}. Let others enter (chmod o+x ${closed}), ` +
        'move the project and LOCAL_DIR elsewhere, or start as another user.',
    );
  });
  return { uid, gid, prefix };
}

/** The folders on the way to a path that others may not enter, outermost first. */
function closedFolders(path: string): string[] {
  const above = path === dirname(path) ? [] : closedFolders(dirname(path));
  const closed = existsSync(path) && statSync(path).isDirectory() && !(statSync(path).mode & 0o001);
  return closed ? [...above, path] : above;
}
