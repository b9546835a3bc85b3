// Edge functions: one Deno process each, with the settings and permissions that it needs and no others. A process that
// dies is started again.

import { getServers } from 'node:dns';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { settingNames } from '../shared/platform/env.ts';
import { claimPort } from './ports.ts';
import { type Child, startChild } from './processes.ts';

type Group = Parameters<typeof settingNames>[number];

export interface FunctionNeeds {
  /** The groups of settings that its `index.ts` reads. */
  groups: Group[];
  /** Whether it connects to addresses that no setting names, such as webhooks'. */
  anyDestination?: boolean;
  /** Whether it asks the name servers of this machine. */
  resolvesNames?: boolean;
}

/** Every function, with what it needs. */
export const functions: Record<string, FunctionNeeds> = {
  'default-integration': { groups: ['app', 'database', 'redis'] },
  payments: { groups: ['app', 'database', 'redis', 'qstash', 'storage', 'sandbox'] },
  oauth: { groups: ['app', 'database', 'redis', 'oauth'] },
  v1: { groups: ['app', 'database', 'redis', 'qstash', 'oauth', 'destinations'], resolvesNames: true },
  callbacks: {
    groups: [
      'app',
      'database',
      'qstash',
      'callbacks',
      'webhooks',
      'destinations',
      'mail',
      'storage',
      'sandbox',
    ],
    anyDestination: true,
  },
};

/** Variables that libraries look at; they are allowed, not set. */
const READ_BY_LIBRARIES = [
  'PGHOST',
  'PGPORT',
  'PGDATABASE',
  'PGUSER',
  'PGUSERNAME',
  'PGPASSWORD',
  'PGSSLMODE',
  'PGMAX',
  'PGIDLE_TIMEOUT',
  'PGCONNECT_TIMEOUT',
  'PGMAX_LIFETIME',
  'PGMAX_PIPELINE',
  'PGBACKOFF',
  'PGKEEP_ALIVE',
  'PGPREPARE',
  'PGDEBUG',
  'PGFETCH_TYPES',
  'PGPUBLICATIONS',
  'PGTARGET_SESSION_ATTRS',
  'PGTARGETSESSIONATTRS',
  'PGAPPNAME',
  'PGSSL',
  'LOGNAME',
  'USER',
  'USERNAME',
];

export interface FunctionOptions {
  name: string;
  /** Settings by name; only those of the function's groups reach it. */
  env: Record<string, string>;
  /** Folder for the generated entry point. */
  dir: string;
  onLine?: (line: string) => void;
}

export interface EdgeFunction {
  name: string;
  port: number;
  /** Process id of the running process; changes when it is started again. */
  pid(): number;
  /** Kills the process as a crash would. */
  crash(): void;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const deno = join(root, 'node_modules', 'deno', process.platform === 'win32' ? 'deno.exe' : 'deno');

/** `host:port` of each address among the settings: all that the function may connect to. */
function destinations(env: Record<string, string>): string[] {
  return Object.values(env).flatMap((value) => {
    if (!/^(https?|postgres(ql)?):\/\//.test(value)) return [];
    const { hostname, port } = new URL(value);
    return port ? [`${hostname}:${port}`] : [];
  });
}

/** A name server as a permission names it; `getServers` tells the port only when it is another than 53. */
const addressOf = (server: string): string =>
  isIPv6(server) ? `[${server}]:53` : /:\d+$/.test(server) ? server : `${server}:53`;

function denoArguments(
  entry: string,
  env: Record<string, string>,
  { port, anyDestination = false, resolvesNames = false }: FunctionNeeds & { port: number },
): string[] {
  const names = [...Object.keys(env), ...READ_BY_LIBRARIES];
  const nameServers = resolvesNames ? getServers().map((address) => addressOf(address)) : [];
  const net = [`127.0.0.1:${port}`, ...destinations(env), ...nameServers];
  const flags = [
    '--no-prompt',
    '--no-lock',
    '--node-modules-dir=manual',
    `--config=${join(root, 'deno.json')}`,
  ];
  return [
    'run',
    '--quiet',
    ...flags,
    `--allow-env=${names.join(',')}`,
    anyDestination ? '--allow-net' : `--allow-net=${net.join(',')}`,
    entry,
  ];
}

/** Starts a function and waits until it listens. */
export async function startFunction({ name, env, dir, onLine }: FunctionOptions): Promise<EdgeFunction> {
  const needs = functions[name];
  if (!needs) throw new Error(`There is no function "${name}".`);
  const port = await claimPort();
  const names = settingNames(...needs.groups);
  const given = Object.fromEntries(Object.entries(env).filter(([setting]) => names.includes(setting)));
  const settings = { ...given, PLACAR_FUNCTION_PORT: String(port) };
  const entry = join(dir, `${name}.ts`);
  const modules = ['local/runtime/serve.ts', `functions/${name}/index.ts`];
  mkdirSync(dir, { recursive: true });
  writeFileSync(entry, modules.map((path) => `import '${pathToFileURL(join(root, path)).href}';\n`).join(''));

  let child: Child;
  let stopping = false;
  const log = (line: string) => onLine?.(`[${name}] ${line}`);
  const run = () => {
    const startedAt = Date.now();
    child = startChild(deno, denoArguments(entry, settings, { port, ...needs }), {
      env: { ...settings, HOME: process.env.HOME ?? '', NO_COLOR: '1' },
      cwd: root,
      onLine: log,
    });
    void child.ended.then(({ code, signal }) => {
      if (stopping) return;
      log(`ended (${signal ?? code}); starting it again`);
      // One that dies at once would spin; one that ran for a while is back at once.
      setTimeout(() => !stopping && run(), Date.now() - startedAt > 5000 ? 0 : 500);
    });
  };
  run();
  await waitUntilListening(port, () => child);
  return {
    name,
    port,
    pid: () => child.pid,
    crash: () => child.kill('SIGKILL'),
    async stop() {
      stopping = true;
      await child.stop();
    },
  };
}

async function waitUntilListening(port: number, child: () => Child): Promise<void> {
  const first = child();
  let died = false;
  void first.ended.then(() => {
    died = true;
  });
  const deadline = Date.now() + 30_000;
  while (!(await canConnect(port))) {
    if (died) throw new Error('An edge function ended while starting; its log says why.');
    if (Date.now() > deadline) throw new Error('An edge function does not listen after 30 s.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
