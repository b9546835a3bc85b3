// Starts the stack as people do, as a separate process, and observes it from outside. Linux only: it reads /proc.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StackInfo } from '../../../local/demo.ts';
import { waitFor } from '../wait-for.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Started {
  /** Leader of its own process group, as in a terminal: `npm`, or `node` itself. */
  pid: number;
  /** All output so far, including errors. */
  output(): string;
  stderr(): string;
  /** Exit code, or null if a signal ended it. */
  exited: Promise<number | null>;
  /** Waits until the output contains this text. Throws if the process ends without it. */
  printed(text: string): Promise<void>;
  /** Waits until the stack is running. Returns the content of `stack.json`. */
  ready(): Promise<StackInfo>;
}

interface StartOptions {
  dir: string;
  port: number;
  fresh?: boolean;
  /** Runs `npm start`, or the command that it runs. */
  command?: 'npm' | 'node';
  /** Environment variables, in addition to the folder. */
  env?: Record<string, string>;
  /** Folder of the project. Default: this project. */
  project?: string;
}

const commands = {
  npm: ['npm', 'start', '--'],
  node: [process.execPath, '--import', 'tsx', 'local/start.ts'],
} as const;

export function start(options: StartOptions): Started {
  const { dir, port, fresh = false, command = 'npm', project = root } = options;
  const [program, ...args] = commands[command];
  const { PATH = '', HOME = '' } = process.env;
  const child: ChildProcess = spawn(program, [...args, ...(fresh ? ['--fresh'] : [])], {
    cwd: project,
    env: { PATH, HOME, LOCAL_DIR: dir, PORT: String(port), ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { output: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    texts.output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    texts.output += chunk.toString();
    texts.stderr += chunk.toString();
  });
  let ended = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      ended = true;
      resolve(code);
    });
  });
  const printed = async (text: string) => {
    await waitFor(() => texts.output.includes(text) || ended);
    if (!texts.output.includes(text)) throw new Error(`It ended without "${text}":\n${texts.output}`);
  };
  return {
    pid: child.pid ?? 0,
    output: () => texts.output,
    stderr: () => texts.stderr,
    exited,
    printed,
    async ready() {
      await printed('Press Ctrl-C to stop');
      return JSON.parse(readFileSync(join(dir, 'stack.json'), 'utf8')) as StackInfo;
    },
  };
}

interface RunningProcess {
  pid: number;
  command: string;
}

/** All processes that belong to the folder, according to their environment, command line or working directory. */
export function processesOf(dir: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({
      pid: Number(name),
      command: read(() => readFileSync(`/proc/${name}/cmdline`, 'utf8')),
    }))
    .filter(({ pid, command }) => {
      const environment = read(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
      const folder = read(() => readlinkSync(`/proc/${pid}/cwd`));
      return [command, environment, folder].some((text) => text.includes(dir));
    })
    .map(({ pid, command }) => ({ pid, command: command.replaceAll('\0', ' ') }));
}

/** The process whose command line contains this text. Throws unless there is exactly one. A child that has just forked looks like its parent. */
export function findProcess(dir: string, text: string): number {
  const all = processesOf(dir).filter(({ command }) => command.includes(text));
  const pids = new Set(all.map(({ pid }) => pid));
  const [found, ...more] = all.filter(({ pid }) => !pids.has(parentOf(pid)));
  if (!found || more.length > 0) throw new Error(`Not one process of ${dir} runs ${text}.`);
  return found.pid;
}

const parentOf = (pid: number): number =>
  Number(/^PPid:\s*(\d+)/m.exec(read(() => readFileSync(`/proc/${pid}/status`, 'utf8')))?.[1]);

/** Local addresses that processes of the folder listen on, in hexadecimal as the kernel shows them. */
export function listeningAddresses(dir: string): string[] {
  const sockets = new Set(
    processesOf(dir).flatMap(({ pid }) => {
      const open = `/proc/${pid}/fd`;
      const files = read(() => readdirSync(open).join('\n')).split('\n');
      return files.map((file) => read(() => readlinkSync(join(open, file))));
    }),
  );
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => read(() => readFileSync(file, 'utf8')));
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
  const LISTEN = '0A';
  return rows
    .filter((row) => row[3] === LISTEN && sockets.has(`socket:[${row[9]}]`))
    .map((row) => row[1] ?? '');
}

/** Reads a file of a process that may have ended. */
function read(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}

export function killAll(dir: string): void {
  for (const { pid } of processesOf(dir)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {}
  }
}
