// Child processes of the stack: none outlives the process that started it.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartError } from './start-error.ts';

export interface ChildOptions {
  /** Complete environment of the child; nothing is inherited. */
  env: Record<string, string>;
  cwd?: string;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Signal that asks this child to end cleanly. */
  stopSignal?: NodeJS.Signals;
  onLine?: (line: string) => void;
}

export interface Child {
  pid: number;
  /** Settles when the process has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
  /** Asks the child to end, then insists after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

let guard: ChildProcess | undefined;

function tellGuard(line: string): void {
  if (!guard || guard.exitCode !== null) {
    guard = spawn(process.execPath, [fileURLToPath(new URL('./guard.mjs', import.meta.url))], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    guard.stdin?.on('error', () => {});
    guard.unref();
    // A piped stdin would keep this process alive as long as the guard waits for it.
    const pipe = guard.stdin;
    if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  }
  guard.stdin?.write(`${line}\n`);
}

function forwardLines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream?.on('end', () => rest && onLine(rest));
}

/** Starts a child in a process group of its own, so that Ctrl-C reaches only the parent, which ends it in order. */
export function startChild(command: string, args: string[], options: ChildOptions): Child {
  const stopSignal = options.stopSignal ?? 'SIGTERM';
  const child = spawn(command, args, {
    env: options.env,
    detached: true,
    // The input stays open for as long as this process lives: a child may take its end as the sign to go.
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  });
  const onLine = options.onLine ?? (() => {});
  forwardLines(child.stdout, onLine);
  forwardLines(child.stderr, onLine);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('error', (error) => {
      onLine(String(error));
      resolve({ code: 127, signal: null });
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const pid = child.pid ?? 0;
  if (pid) {
    tellGuard(`+${pid} ${stopSignal}`);
    void ended.then(() => tellGuard(`-${pid}`));
  }
  return {
    pid,
    ended,
    kill: (signal) => void child.kill(signal),
    async stop(graceMs = 5000) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(stopSignal);
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** A child that is started again whenever it ends by itself. */
export interface Kept {
  /** The one that runs, or ran last. */
  current(): Child;
  stop(graceMs?: number): Promise<void>;
}

/** Less than that, and a child that dies at once would spin; one that ran for a while is back at once. */
const STEADY_AFTER_MS = 5000;
const RESTART_PAUSE_MS = 500;

/** Keeps a child running until it is stopped; `onEnd` hears how it ended each time that nobody asked for it. */
export function keepRunning(start: () => Child, onEnd: (how: string) => void): Kept {
  let stopping = false;
  let child: Child;
  const run = () => {
    const startedAt = Date.now();
    child = start();
    void child.ended.then(({ code, signal }) => {
      if (stopping) return;
      onEnd(String(signal ?? code));
      setTimeout(() => !stopping && run(), Date.now() - startedAt > STEADY_AFTER_MS ? 0 : RESTART_PAUSE_MS);
    });
    return child;
  };
  child = run();
  return {
    current: () => child,
    async stop(graceMs) {
      stopping = true;
      await child.stop(graceMs);
    },
  };
}

/** Runs a child to its end and returns what it printed; throws with that text when it fails. */
export async function runChild(command: string, args: string[], options: ChildOptions): Promise<string> {
  const lines: string[] = [];
  const child = startChild(command, args, { ...options, onLine: (line) => lines.push(line) });
  const { code } = await child.ended;
  if (code !== 0) throw new Error(`${command} ${args[0] ?? ''} failed (exit ${code})\n${lines.join('\n')}`);
  return lines.join('\n');
}

/** How long a program of the stack may take to start. */
const START_LIMIT_MS = 30_000;
const POLL_MS = 20;

/** Waits until the probe says that the child serves. Throws a {@link StartError} when it ends first, or takes too long. */
export async function waitUntilReady(
  name: string,
  child: Child,
  isReady: () => boolean | Promise<boolean>,
): Promise<void> {
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
  });
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await isReady())) {
    if (hasEnded)
      throw new StartError(
        `${name} ended while starting; its log, in logs/ of the stack's folder, says why.`,
      );
    if (Date.now() > deadline)
      throw new StartError(`${name} is not up after ${START_LIMIT_MS / 1000} s; its log may say why.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
