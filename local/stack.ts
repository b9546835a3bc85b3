// Starts the whole stack without Docker: Postgres, Redis, QStash, Auth, Storage, the edge functions and the gateway.
import { mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import postgres from 'postgres';
import { functionNames } from '../functions/manifest.ts';
import { scheduleSweep } from '../scripts/schedule-sweep.ts';
import { createConsole } from './console/app.tsx';
import { ensureDemoCompany, type RunningCrms, startCrms } from './crms/start.ts';
import { ensureDemoCredentials, type StackInfo } from './demo.ts';
import { ensureDemoPeople } from './demo-people.ts';
import { createAuth } from './emulators/auth/index.ts';
import { isLoopback } from './emulators/auth/redirects.ts';
import { createInbox } from './emulators/inbox.ts';
import { createMailbox } from './emulators/mailbox.ts';
import { startPgNet } from './emulators/pg-net.ts';
import { createStorage } from './emulators/storage/index.ts';
import { startUpstash } from './emulators/upstash.ts';
import { SETTINGS_FILE } from './environment.ts';
import { type EdgeFunction, startFunction } from './functions.ts';
import { startGateway } from './gateway.ts';
import { lockFolder } from './lock.ts';
import { logFile } from './log-file.ts';
import { onChosenPort } from './ports.ts';
import { provideLogin, urlForFunctions } from './postgres/login.ts';
import { providePlatform, pushMigrations } from './postgres/provision.ts';
import { startPostgres } from './postgres/server.ts';
import { connectDemoTenant, type RunningProviders, startProviders } from './providers/start.ts';
import { loadSecrets } from './secrets.ts';
import { checkSettingsFromEnvironment, functionSettings, settingsFromEnvironment } from './settings.ts';

export interface StackOptions {
  /** Folder for the state of the stack. */
  dir: string;
  /** Port of the gateway; 0 for a free one. */
  port: number;
  /** Port of the database. Default: the port of the last start in this folder, or a free one on the first start. */
  databasePort?: number | undefined;
  /** Whether to delete the state of earlier runs. */
  fresh?: boolean;
  /** `false` disables fsync, for tests. */
  durable?: boolean;
  /** Starts the fakes of payment providers, connected to the demo tenant or (for tests) unconnected, and those of CRMs. */
  providers?: 'demo' | 'unconnected';
  /** A real Redis instead of the in-process one. */
  redisUrl?: string | undefined;
  /** Additional or overridden settings of the functions. */
  env?: Record<string, string>;
  /** Called at the beginning of each step. */
  onStep?: (step: string) => void;
  /** Called with problems that do not stop the stack. */
  onTrouble?: (line: string) => void;
}

export interface Stack {
  info: StackInfo;
  /** Settings of the functions. */
  env: Record<string, string>;
  functions: Map<string, EdgeFunction>;
  /** Provider emulators, if requested. */
  providers: RunningProviders | undefined;
  /** Fakes of CRMs, if providers are requested. */
  crms: RunningCrms | undefined;
  stop(): Promise<void>;
}

/**
 * Starts all services, or none: if one fails, the others are stopped. Throws a `StartError` if the user can fix the problem.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  checkSettingsFromEnvironment();
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startServices(options, (end) => stops.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type OnStop = (end: () => Promise<unknown>) => void;

async function startServices(options: StackOptions, onStop: OnStop): Promise<Omit<Stack, 'stop'>> {
  const dir = resolve(options.dir);
  const step = options.onStep ?? (() => {});
  onStop(await lockFolder(dir));
  const gateway = await onChosenPort(
    { port: options.port, what: 'the gateway', setting: 'PORT', command: 'npm start' },
    () => startGateway(options.port),
  );
  onStop(() => gateway.close());
  const { url } = gateway;
  if (options.fresh) await removeState(dir);
  const secrets = await loadSecrets(dir);
  const logs = join(dir, 'logs');
  mkdirSync(logs, { recursive: true });
  const tell = options.onTrouble ?? (() => {});
  const logTo = (name: string) => logFile(join(logs, `${name}.log`), tell);

  step('Postgres');
  const server = await startPostgres({
    dir: join(dir, 'postgres'),
    port: options.databasePort,
    password: secrets.databasePassword,
    durable: options.durable ?? true,
    onLine: logTo('postgres'),
    onDeath: tell,
  });
  onStop(() => server.stop());
  await providePlatform(server, secrets.databasePassword);

  step('migrations and demo data');
  await pushMigrations(server.url, { seed: true });
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  onStop(() => sql.end({ timeout: 1 }));
  await provideLogin(sql, secrets.functionsPassword);
  const demo = await ensureDemoCredentials(sql, dir, secrets);
  const people = await ensureDemoPeople(sql, demo.tenant_id, secrets.peoplePassword);

  step('Redis, QStash, Auth and Storage');
  const mailbox = createMailbox(join(dir, 'mail'));
  const inbox = createInbox(join(dir, 'inbox'));
  const upstash = await startUpstash({
    dir,
    secrets,
    mailbox,
    redisUrl: options.redisUrl,
    log: logTo('qstash'),
  });
  onStop(() => upstash.close());
  const secretKeys = [secrets.supabaseSecretKey];
  const auth = createAuth({
    sql,
    publicUrl: url,
    secretKeys,
    publishableKeys: [secrets.supabasePublishableKey],
    jwtSecret: secrets.jwtSecret,
    signingKey: secrets.authSigningKey,
    isRedirectAllowed: isLoopback,
    onMail: (mail) => mailbox.add(mail),
  });
  const storage = createStorage({
    sql,
    dir: join(dir, 'storage'),
    secretKeys,
    signingSecret: secrets.jwtSecret,
  });

  if (options.providers) step('Asaas, Wise and Stripe');
  const providers = options.providers ? await startProviders(dir, onStop) : undefined;
  if (options.providers) step('RD Station CRM, Pipedrive and HubSpot');
  const { HUBSPOT_VERSION: version } = { ...settingsFromEnvironment(), ...options.env };
  const crms = options.providers ? await startCrms(dir, onStop, version) : undefined;
  const env = {
    ...functionSettings({
      url,
      databaseUrl: urlForFunctions(server.url, secrets.functionsPassword),
      secrets,
    }),
    ...upstash.settings,
    ...providers?.settings,
    ...crms?.settings,
    ...settingsFromEnvironment(),
    ...options.env,
  };
  step('edge functions');
  const functionsLog = logTo('functions');
  const started = await Promise.all(
    functionNames.map(async (name) => {
      const edge = await startFunction({ name, env, dir: join(dir, 'runtime'), onLine: functionsLog });
      onStop(() => edge.stop());
      return edge;
    }),
  );
  gateway.open({
    functionPorts: new Map(started.map((edge) => [edge.name, edge.port])),
    apps: {
      '/inbox': inbox.routes,
      '/mail': mailbox.routes,
      '/auth/v1': auth,
      '/storage/v1': storage,
      '/': createConsole({
        url,
        dir,
        sql,
        credentials: demo,
        inbox,
        mailbox,
        sandboxNotificationToken: secrets.sandboxNotificationToken,
        sweepToken: secrets.sweepToken,
      }),
    },
  });
  await scheduleSweep({
    qstashUrl: upstash.qstashUrl,
    token: secrets.qstashToken,
    functionsUrl: `${url}/functions/v1`,
  });

  const superuser = postgres(server.superuserUrl, { max: 2, onnotice: () => {} });
  onStop(() => superuser.end({ timeout: 1 }));
  const pgNet = await startPgNet(superuser);
  onStop(() => pgNet.close());
  await sql`select admin.call_sweep_from_database(${`${url}/functions/v1`}, ${secrets.sweepToken})`;
  if (providers && options.providers === 'demo')
    await connectDemoTenant(providers, { sql, tenantId: demo.tenant_id, dir, secrets });
  const credentials =
    crms && options.providers === 'demo' ? await ensureDemoCompany(crms, { dir, secrets }) : undefined;

  const info: StackInfo = {
    base_url: url,
    auth_url: url,
    database_url: server.url,
    ...demo,
    mail_url: `${url}/mail`,
    inbox_url: `${url}/inbox`,
    publishable_key: secrets.supabasePublishableKey,
    secret_key: secrets.supabaseSecretKey,
    jwt_secret: secrets.jwtSecret,
    people,
    ...(providers && {
      asaas_url: providers.settings.ASAAS_URL,
      wise_url: providers.settings.WISE_URL,
      stripe_url: providers.settings.STRIPE_URL,
    }),
    ...(crms && { crms: { settings: crms.settings, credentials } }),
  };
  // For `placar doctor`, which checks them.
  const settings = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(join(dir, SETTINGS_FILE), settings.join(''), { mode: 0o600 });
  await writeFile(join(dir, 'stack.json'), `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  return { info, env, providers, crms, functions: new Map(started.map((edge) => [edge.name, edge])) };
}

/** Deletes all state except this process's lock. */
async function removeState(dir: string): Promise<void> {
  const entries = [
    'postgres',
    'qstash',
    'mail',
    'inbox',
    'storage',
    'providers',
    'crms',
    'runtime',
    'logs',
    SETTINGS_FILE,
    'secrets.json',
    'stack.json',
  ];
  await Promise.all(entries.map((entry) => rm(join(dir, entry), { recursive: true, force: true })));
}
