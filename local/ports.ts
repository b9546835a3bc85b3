// Ports of this machine. All parts of the stack listen on 127.0.0.1 by default.
import { createServer, type Server } from 'node:net';
import { StartError } from './start-error.ts';

export const LOOPBACK = '127.0.0.1';

/** Listens; port 0 selects a free port. Returns the port. Throws `EADDRINUSE`. */
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
 * Checks that a port is free (0 for any) and returns it. Throws `EADDRINUSE`. Another process may take it before it is used:
 * see {@link onFreePort}.
 */
export async function claimPort(port = 0): Promise<number> {
  const server = createServer();
  const claimed = await listen(server, { port });
  await new Promise((resolve) => server.close(resolve));
  return claimed;
}

/** If other processes seem to take this many free ports in a row, the cause is something else. */
const MAX_PORTS_TRIED = 5;

/** Starts a program with a free port. Tries the next port if another process takes it first. */
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

interface PortSetting {
  port: number;
  /** Display name of the service. */
  what: string;
  /** The setting that changes the port, and the command that reads it. */
  setting: string;
  command: string;
}

/** Starts a service on a configured port. Throws a {@link StartError} that names the setting if the port is in use. */
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
        `Port ${port} for ${what} requires root. Choose another port: ${await example(setting, command)}`,
      );
    }
    if (code !== 'EADDRINUSE' && !(await isTaken(port))) throw error;
    throw new StartError(
      `Port ${port} for ${what} is in use. Free it or choose another port: ${await example(setting, command)}`,
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

/** The port of a setting, or the default. Throws a {@link StartError} if it is not a port. */
export function portFrom<D>(setting: string, fallback: D): number | D {
  const text = process.env[setting];
  if (!text) return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new StartError(`${setting} must be a port from 1 to 65535, not "${text}".`);
}
