// The real PgBouncer, if it is installed.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { LOOPBACK, onFreePort } from '../../../local/ports.ts';
import { chooseIdentity } from '../../../local/postgres/identity.ts';
import { startChild, waitUntilReady } from '../../../local/processes.ts';

const PROGRAM = 'pgbouncer';

/** Its version as a number, such as 118 for 1.18, or undefined if it is not on the PATH. */
export function pgbouncerVersion(): number | undefined {
  try {
    const text = execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' });
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(text) ?? [];
    return Number(major) * 100 + Number(minor);
  } catch {
    return undefined;
  }
}

/** Starts PgBouncer in front of the database at this address. Returns the address to use instead. It ends with the test. */
export async function startPgbouncer(address: string, settings: Record<string, string>): Promise<string> {
  const url = new URL(address);
  const database = serverOf(url);
  const dir = mkdtempSync(join(tmpdir(), 'placar-pgbouncer-'));
  const file = join(dir, 'pgbouncer.ini');
  // It does not run as root.
  const { uid, gid } = (await chooseIdentity([dir])) ?? {};
  if (uid !== undefined && gid !== undefined) chownSync(dir, uid, gid);
  const env = { PATH: process.env.PATH ?? '' };
  const child = await onFreePort(async (port) => {
    const own = { listen_addr: LOOPBACK, listen_port: port, unix_socket_dir: '', auth_type: 'any' };
    const lines = Object.entries({ ...own, ...settings }).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
    const started = startChild(PROGRAM, [file], { env, cwd: dir, uid, gid });
    await waitUntilReady('PgBouncer', started, () => accepts(port));
    url.port = String(port);
    return started;
  });
  onTestFinished(async () => {
    await child.stop();
    rmSync(dir, { recursive: true });
  });
  return url.href;
}

/** How it connects to the database: always as the user of the address, whatever the user name of its clients. */
function serverOf({ hostname, port, username, password, pathname }: URL): string {
  const quote = (text: string) => `'${decodeURIComponent(text).replaceAll("'", "''")}'`;
  return `${pathname.slice(1)} = host=${hostname} port=${port} user=${quote(username)} password=${quote(password)}`;
}

/** Whether a server listens there. */
const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, LOOPBACK, () => resolve(true));
    socket.on('connect', () => socket.destroy());
    socket.on('error', () => resolve(false));
  });
