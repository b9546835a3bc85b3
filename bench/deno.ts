// Deno processes with the flags of the local runtime, and permissions only for the given addresses.
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { claimPort } from '../local/ports.ts';
import { type Child, startChild } from '../local/processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const deno = join(root, 'node_modules', 'deno', process.platform === 'win32' ? 'deno.exe' : 'deno');

export interface DenoFunction {
  port: number;
  pid: number;
  /** Milliseconds from the start until the first successful health check. */
  bootMs: number;
  stop(): Promise<void>;
}

export interface DenoOptions {
  /** Name of the generated entry point. */
  name: string;
  /** Source of the entry point, after the runtime module. */
  entry: string;
  /** Path of the health check. */
  health: string;
  env: Record<string, string>;
  dir: string;
}

/** Import statement for a module of this repository. */
export const importLine = (path: string, names = '') =>
  `import ${names && `{ ${names} } from `}'${pathToFileURL(join(root, path)).href}';\n`;

/** Starts a function and waits until its health check succeeds. */
export async function startDeno({ name, entry, health, env, dir }: DenoOptions): Promise<DenoFunction> {
  const port = await claimPort();
  const file = join(dir, `${name}.ts`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(file, importLine('local/runtime/serve.ts') + entry);
  const lines: string[] = [];
  const startedAt = performance.now();
  const child = startChild(deno, denoArguments(file, env, port), {
    env: { ...env, PLACAR_FUNCTION_PORT: String(port), HOME: process.env.HOME ?? '', NO_COLOR: '1' },
    cwd: root,
    onLine: (line) => lines.push(line),
  });
  try {
    await waitForHealth(port, health, child);
  } catch (error) {
    await child.stop();
    throw new Error(`${name} did not start\n${lines.join('\n')}`, { cause: error });
  }
  return { port, pid: child.pid, bootMs: performance.now() - startedAt, stop: () => child.stop() };
}

function denoArguments(file: string, env: Record<string, string>, port: number): string[] {
  const addresses = Object.values(env).flatMap((value) =>
    /^(https?|postgres(ql)?):\/\//.test(value) ? [new URL(value).host] : [],
  );
  const flags = [
    '--no-prompt',
    '--no-lock',
    '--node-modules-dir=manual',
    `--config=${join(root, 'deno.json')}`,
  ];
  const net = `--allow-net=${[`127.0.0.1:${port}`, ...addresses].join(',')}`;
  return ['run', '--quiet', ...flags, '--allow-env', net, file];
}

const POLL_MS = 3;
const BOOT_LIMIT_MS = 30_000;

async function waitForHealth(port: number, path: string, child: Child): Promise<void> {
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  const deadline = performance.now() + BOOT_LIMIT_MS;
  while (!(await answers(port, path))) {
    if (ended) throw new Error('the process exited');
    if (performance.now() > deadline) throw new Error('timeout');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function answers(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request({ host: '127.0.0.1', port, path, agent: false }, (reply) => {
      reply.resume();
      reply.once('end', () => resolve(reply.statusCode === 200));
    });
    outgoing.once('error', () => resolve(false));
    outgoing.end();
  });
}
