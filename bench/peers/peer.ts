// Products that the bench compares Placar with: each a process of its own, on a fresh database of the bench's server.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { type Child, runChild, startChild } from '../../local/processes.ts';

/** What a peer runs with. */
export interface PeerOptions {
  /** Of a role that may create databases; the database itself is left alone. */
  databaseUrl: string;
  /** A folder for the peer's files. */
  dir: string;
}

export interface Peer {
  url: string;
  /** What every request carries. */
  headers: Record<string, string>;
  /** The peer's own database. */
  databaseUrl: string;
  pid: number;
  stop(): Promise<void>;
}

const modules = fileURLToPath(new URL('node_modules', import.meta.url));

/** Version of an installed package; undefined when it is not installed. */
export function versionOf(name: string): string | undefined {
  const file = join(modules, name, 'package.json');
  if (!existsSync(file)) return undefined;
  return String(JSON.parse(readFileSync(file, 'utf8')).version);
}

export interface Program {
  /** The file, below node_modules. */
  file: string;
  args: string[];
  env?: Record<string, string>;
  dir: string;
}

const environmentOf = ({ env }: Program): Record<string, string> => {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NODE_ENV: 'production', NO_COLOR: '1', ...env };
};
const argumentsOf = ({ file, args }: Program) => [join(modules, file), ...args];

/** Runs a program of a peer to its end. */
export async function runProgram(program: Program): Promise<void> {
  await runChild(process.execPath, argumentsOf(program), { env: environmentOf(program), cwd: program.dir });
}

/** Starts a server of a peer and waits until the address answers with 200. */
export async function startProgram(program: Program, readyUrl: string): Promise<Child> {
  const lines: string[] = [];
  const child = startChild(process.execPath, argumentsOf(program), {
    env: environmentOf(program),
    cwd: program.dir,
    onLine: (line) => lines.push(line),
  });
  try {
    await waitUntilReady(readyUrl, child);
  } catch (error) {
    await child.stop();
    throw new Error(`${program.file} does not start\n${lines.join('\n')}`, { cause: error });
  }
  return child;
}

const POLL_MS = 50;
const START_LIMIT_MS = 60_000;

async function waitUntilReady(url: string, child: Child): Promise<void> {
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await answers(url))) {
    if (ended) throw new Error('the process ended');
    if (performance.now() > deadline) throw new Error('no answer in time');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url);
    await reply.arrayBuffer();
    return reply.status === 200;
  } catch {
    return false;
  }
}

/** Makes an empty database in the place of an earlier one of that name; returns its address. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {} });
  try {
    await sql`drop database if exists ${sql(name)} with (force)`;
    await sql`create database ${sql(name)}`;
  } finally {
    await sql.end({ timeout: 1 });
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
