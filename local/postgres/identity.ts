// The user for Postgres if `npm start` runs as root, since Postgres refuses to run as root.
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { runChild } from '../processes.ts';
import { StartError } from '../start-error.ts';

export interface Identity {
  uid: number;
  gid: number;
  /** Command prefix that switches to that user; empty if spawning as the user is enough. */
  prefix: string[];
}

/**
 * Undefined if this process is not root. Throws a {@link StartError} if no other user can access these paths.
 */
export async function chooseIdentity(paths: string[]): Promise<Identity | undefined> {
  if (userInfo().uid !== 0) return undefined;
  const accounts = await readFile('/etc/passwd', 'utf8');
  const account = accounts.match(/^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m);
  const [uid, gid] = [Number(account?.[1] ?? 65534), Number(account?.[2] ?? 65534)];
  const [closed] = paths.flatMap(closedFolders);
  if (closed === undefined) return { uid, gid, prefix: [] };

  // Below a private folder such as /root: keeps only the capability to traverse folders. Without the last flag, access(2),
  // with which Postgres finds its programs, ignores that capability.
  const caps = '+dac_override';
  const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const rights = [`--inh-caps=${caps}`, `--ambient-caps=${caps}`, '--securebits=+no_setuid_fixup'];
  const prefix = ['setpriv', ...user, ...rights];
  const [program = '', ...args] = [...prefix, 'test', '-x', paths.at(-1) ?? ''];
  const { PATH = '' } = process.env;
  await runChild(program, args, { env: { PATH } }).catch(() => {
    throw new StartError(
      `Postgres cannot run as root, and its user cannot access ${closed}. Run chmod o+x ${closed}, ` +
        'move the project and LOCAL_DIR to another folder, or start the stack as another user.',
    );
  });
  return { uid, gid, prefix };
}

/** The folders of a path that other users cannot traverse, outermost first. */
function closedFolders(path: string): string[] {
  const above = path === dirname(path) ? [] : closedFolders(dirname(path));
  const closed = existsSync(path) && statSync(path).isDirectory() && !(statSync(path).mode & 0o001);
  return closed ? [...above, path] : above;
}
