// Allows one stack per folder: its process listens on a local port whose number is stored in the folder.
import { mkdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { LOOPBACK, listen } from './ports.ts';
import { StartError } from './start-error.ts';

/**
 * Locks the folder. Returns the function that releases it; the end of the process releases it, too. Throws a
 * {@link StartError} with the process id if another stack runs in the folder.
 */
export async function lockFolder(dir: string): Promise<() => Promise<void>> {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, 'lock.json');
  const identity = resolve(dir);
  const server = createServer((socket) => void socket.end(identity));
  const port = await listen(server);
  server.unref();
  const mine = JSON.stringify({ pid: process.pid, port });

  for (let tries = 0; ; tries++) {
    try {
      await writeFile(file, mine, { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > 5) throw error;
    }
    const holder = await readHolder(file);
    if (holder && (await ask(holder.port)) === identity) {
      server.close();
      throw new StartError(
        `A stack is already running in ${dir} (process ${holder.pid}). Stop it, or set LOCAL_DIR to another folder.`,
      );
    }
    await rm(file, { force: true });
  }
  return async () => {
    await rm(file, { force: true });
    await new Promise((done) => server.close(done));
  };
}

async function readHolder(file: string): Promise<{ pid: number; port: number } | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as { pid: number; port: number };
  } catch {
    return undefined;
  }
}

function ask(port: number): Promise<string> {
  return new Promise((done) => {
    let text = '';
    const socket = connect({ host: LOOPBACK, port });
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => done(text));
  });
}
