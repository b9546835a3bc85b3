// Ports of this machine: everything of the stack listens on 127.0.0.1, unless told otherwise.
import { createServer, type Server } from 'node:net';
import { StartError } from './start-error.ts';

export const LOOPBACK = '127.0.0.1';

/** Listens; port 0 takes a free one. Returns the port. Throws `EADDRINUSE` when it is taken. */
export function listen(server: Server, { port = 0, host = LOOPBACK } = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/**
 * Tries to listen on a port, 0 for any free one; returns the port. Throws `EADDRINUSE` when it is taken. Somebody else may
 * take it before it is used: see {@link onFreePort}.
 */
export async function claimPort(port = 0): Promise<number> {
  const server = createServer();
  const claimed = await listen(server, { port });
  await new Promise((resolve) => server.close(resolve));
  return claimed;
}

/** More than this many in a row are not taken by others in between: something else is wrong. */
const MAX_PORTS_TRIED = 5;

/** Starts a program that is told its port. Where somebody else took the port in between, the next one is tried. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    const port = await claimPort();
    try {
      return await start(port);
    } catch (error) {
      if (tried === MAX_PORTS_TRIED || !(await isTaken(port))) throw error;
    }
  }
}

export interface PortSetting {
  port: number;
  /** What listens there, as its user knows it. */
  what: string;
  /** The setting that moves it, and the command that reads it. */
  setting: string;
  command: string;
}

/** Starts what listens on a port that was chosen. Throws a {@link StartError} that names the setting when it is taken. */
export async function onChosenPort<T>(
  { port, what, setting, command }: PortSetting,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EACCES') {
      throw new StartError(
        `Port ${port}, for ${what}, is only for root. Choose another: ${await example(setting, command)}`,
      );
    }
    if (code !== 'EADDRINUSE' && !(await isTaken(port))) throw error;
    throw new StartError(
      `Port ${port}, for ${what}, is in use. Free it, or choose another: ${await example(setting, command)}`,
    );
  }
}

const example = async (setting: string, command: string) => `${setting}=${await claimPort()} ${command}`;

function isTaken(port: number): Promise<boolean> {
  return claimPort(port).then(
    () => false,
    () => true,
  );
}

/** The port that a setting gives, or the default. Throws a {@link StartError} when it is no port. */
export function portFrom<D>(setting: string, fallback: D): number | D {
  const text = process.env[setting];
  if (!text) return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new StartError(`${setting} is a port, 1 to 65535, and not "${text}".`);
}
