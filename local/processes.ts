// Child processes of the stack. None outlives the parent process.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartError } from './start-error.ts';

export interface ChildOptions {
  /** Complete environment of the child. Nothing is inherited. */
  env: Record<string, string>;
  cwd?: string;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Signal for a graceful shutdown. */
  stopSignal?: NodeJS.Signals;
  onLine?: (line: string) => void;
}

export interface Child {
  pid: number;
  /** Settles when the process has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
  /** Requests a graceful shutdown and kills the child after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

let guard: ChildProcess | undefined;

function notifyGuard(line: string): void {
  if (!guard || guard.exitCode !== null) {
    guard = spawn(process.execPath, [fileURLToPath(new URL('./guard.mjs', import.meta.url))], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    guard.stdin?.on('error', () => {});
    guard.unref();
    // Unreferenced, since a piped stdin would keep this process alive.
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

/** Starts a child in its own process group, so that Ctrl-C reaches only the parent, which shuts down in order. */
export function startChild(command: string, args: string[], options: ChildOptions): Child {
  const stopSignal = options.stopSignal ?? 'SIGTERM';
  const child = spawn(command, args, {
    env: options.env,
    detached: true,
    // Stdin stays open while this process lives: a child may treat its end as a signal to exit.
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
    notifyGuard(`+${pid} ${stopSignal}`);
    void ended.then(() => notifyGuard(`-${pid}`));
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

/** A child that is restarted when it exits unexpectedly. */
export interface SupervisedChild {
  /** The running child, or the last one. */
  current(): Child;
  stop(graceMs?: number): Promise<void>;
}

/** A child that exits sooner is restarted after a delay, so that a failing child does not spin. */
const STABLE_AFTER_MS = 5000;
const RESTART_PAUSE_MS = 500;

/** Keeps a child running until it is stopped. Calls `onEnd` after each unexpected exit. */
export function supervise(start: () => Child, onEnd: (how: string) => void): SupervisedChild {
  let stopping = false;
  let child: Child;
  const run = () => {
    const startedAt = Date.now();
    child = start();
    void child.ended.then(({ code, signal }) => {
      if (stopping) return;
      onEnd(String(signal ?? code));
      setTimeout(() => !stopping && run(), Date.now() - startedAt > STABLE_AFTER_MS ? 0 : RESTART_PAUSE_MS);
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

/** Runs a child until it exits and returns its output. Throws with the output if it fails. */
export async function runChild(command: string, args: string[], options: ChildOptions): Promise<string> {
  const lines: string[] = [];
  const child = startChild(command, args, { ...options, onLine: (line) => lines.push(line) });
  const { code } = await child.ended;
  if (code !== 0) throw new Error(`${command} ${args[0] ?? ''} failed (exit ${code})\n${lines.join('\n')}`);
  return lines.join('\n');
}

/** Startup timeout of a program of the stack. */
const START_LIMIT_MS = 30_000;
const POLL_MS = 20;

/** Waits until the probe succeeds. Throws a {@link StartError} if the child exits first or the timeout passes. */
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
      throw new StartError(`${name} exited during startup. See its log in the logs/ folder of the stack.`);
    if (Date.now() > deadline)
      throw new StartError(
        `${name} did not start within ${START_LIMIT_MS / 1000} s. See its log in the logs/ folder of the stack.`,
      );
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
