// Runs each edge function in its own Deno process, with only the settings and permissions that it needs. Restarts processes
// that exit.

import { getServers } from 'node:dns';
import { mkdirSync, writeFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type FunctionName, type FunctionNeeds, manifest } from '../functions/manifest.ts';
import { providerHosts } from '../shared/payments/provider-registry/registry.ts';
import { settingNames } from '../shared/platform/env.ts';
import { LOOPBACK, onFreePort } from './ports.ts';
import { startChild, supervise, waitUntilReady } from './processes.ts';

/** Variables that libraries read. They are permitted, but not set. */
const READ_BY_LIBRARIES = (
  'PGHOST PGPORT PGDATABASE PGUSER PGUSERNAME PGPASSWORD PGSSLMODE PGMAX PGIDLE_TIMEOUT ' +
  'PGCONNECT_TIMEOUT PGMAX_LIFETIME PGMAX_PIPELINE PGBACKOFF PGKEEP_ALIVE PGPREPARE PGDEBUG ' +
  'PGFETCH_TYPES PGPUBLICATIONS PGTARGET_SESSION_ATTRS PGTARGETSESSIONATTRS PGAPPNAME PGSSL LOGNAME ' +
  'PGBINARY PGOPTIONS PGCLIENT_ENCODING PGREPLICATION PGSSLNEGOTIATION NODE_PG_FORCE_NATIVE USER USERNAME'
).split(' ');

interface FunctionOptions {
  name: FunctionName;
  /** All settings by name. The function receives only those of its groups. */
  env: Record<string, string>;
  /** Folder for the generated entry point. */
  dir: string;
  onLine?: (line: string) => void;
}

export interface EdgeFunction {
  name: FunctionName;
  port: number;
  /** Process id. Changes after a restart. */
  pid(): number;
  /** Kills the process to simulate a crash. */
  crash(): void;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const deno = join(root, 'node_modules', 'deno', process.platform === 'win32' ? 'deno.exe' : 'deno');

/** `host:port` of each URL in the settings: the only destinations that the function may connect to. */
function destinations(env: Record<string, string>): string[] {
  return Object.values(env).flatMap((value) => {
    if (!/^(https?|postgres(ql)?):\/\//.test(value)) return [];
    const { hostname, port, protocol, searchParams } = new URL(value);
    const standard = protocol === 'https:' ? '443' : protocol === 'http:' ? '80' : '5432';
    // Starting TLS on an open connection requires the permission for the whole host.
    return [`${hostname}:${port || standard}`, ...(searchParams.has('sslmode') ? [hostname] : [])];
  });
}

/** A name server in permission syntax. `getServers` includes the port only if it is not 53. */
const addressOf = (server: string): string =>
  isIPv6(server) ? `[${server}]:53` : /:\d+$/.test(server) ? server : `${server}:53`;

function denoArguments(
  entry: string,
  env: Record<string, string>,
  { anyDestination, callsProviders, resolvesNames }: FunctionNeeds,
  port: number,
): string[] {
  const names = [...Object.keys(env), ...READ_BY_LIBRARIES];
  const nameServers = resolvesNames ? getServers().map((address) => addressOf(address)) : [];
  const vendors = callsProviders ? providerHosts : [];
  const net = [`${LOOPBACK}:${port}`, ...destinations(env), ...vendors, ...nameServers];
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
export function startFunction(options: FunctionOptions): Promise<EdgeFunction> {
  return onFreePort((port) => startFunctionOn(port, options));
}

async function startFunctionOn(
  port: number,
  { name, env, dir, onLine }: FunctionOptions,
): Promise<EdgeFunction> {
  const needs: FunctionNeeds = manifest[name];
  const names = settingNames(...needs.settings);
  const given = Object.fromEntries(Object.entries(env).filter(([setting]) => names.includes(setting)));
  const settings = { ...given, PLACAR_FUNCTION_PORT: String(port) };
  const entry = join(dir, `${name}.ts`);
  const modules = ['local/runtime/serve.ts', `functions/${name}/index.ts`];
  mkdirSync(dir, { recursive: true });
  writeFileSync(entry, modules.map((path) => `import '${pathToFileURL(join(root, path)).href}';\n`).join(''));

  // Waits for the process's own message: another process could have taken the port.
  let listens = false;
  const log = (line: string) => onLine?.(`[${name}] ${line}`);
  const supervised = supervise(
    () =>
      startChild(deno, denoArguments(entry, settings, needs, port), {
        env: { ...settings, HOME: process.env.HOME ?? '', NO_COLOR: '1' },
        cwd: root,
        onLine(line) {
          if (line === `listening on port ${port}`) listens = true;
          else log(line);
        },
      }),
    (how) => log(`exited (${how}); restarting`),
  );
  try {
    await waitUntilReady(`The function ${name}`, supervised.current(), () => listens);
  } catch (error) {
    await supervised.stop();
    throw error;
  }
  return {
    name,
    port,
    pid: () => supervised.current().pid,
    crash: () => supervised.current().kill('SIGKILL'),
    stop: () => supervised.stop(),
  };
}
