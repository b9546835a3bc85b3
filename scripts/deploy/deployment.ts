// The deployment that `npm run migrate` and `npm run deploy` change: its settings, from a file.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { hasTransactionPooler } from '../../clients/typescript/src/cli/database.ts';
import { StartError } from '../../local/start-error.ts';

export interface Deployment {
  envFile: string;
  /** `production` or `staging`. */
  environment: string;
  /** Address of the database as the owner of the tables. */
  databaseUrl: URL;
  /** Base URL of the functions, without a slash at the end. Undefined if the file has none. */
  functionsUrl: string | undefined;
  /** Reference of the Supabase project; undefined if no setting has it. */
  projectRef: string | undefined;
  /** Address and token of QStash; undefined if the file has no token. */
  qstash: { qstashUrl: string; token: string } | undefined;
  /** Functions that are not deployed here. */
  excludedFunctions: readonly string[];
  /** Replaces all secrets of the file in a text. */
  hideSecrets(text: string): string;
}

const DEFAULT_QSTASH = 'https://qstash.upstash.io';

/** Reads the settings in a file. Throws a {@link StartError} if it cannot be read, or a value would be cut. */
export function readSettings(envFile: string): NodeJS.Dict<string> {
  let text: string;
  try {
    // Some editors begin a file with a byte order mark.
    text = readFileSync(envFile, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    throw new StartError(`Cannot read ${envFile}.`);
  }
  rejectCutValues(text, envFile);
  return parseEnv(text);
}

/** Reads the file. Throws a {@link StartError} that names the missing settings. */
export function readDeployment(envFile: string): Deployment {
  const settings = readSettings(envFile);
  const { APP_ENV, FUNCTIONS_URL, DEPLOY_MCP = 'true' } = settings;
  const { QSTASH_URL, QSTASH_TOKEN } = settings;
  if (APP_ENV !== 'production' && APP_ENV !== 'staging')
    throw new StartError(`APP_ENV in ${envFile} must be production or staging.`);
  if (DEPLOY_MCP !== 'true' && DEPLOY_MCP !== 'false')
    throw new StartError(`DEPLOY_MCP in ${envFile} must be true or false.`);
  const databaseUrl = databaseUrlOf(settings, envFile);
  const secrets = secretsOf(settings, databaseUrl);
  return {
    envFile,
    environment: APP_ENV,
    databaseUrl,
    functionsUrl: FUNCTIONS_URL?.replace(/\/+$/, '') || undefined,
    projectRef: projectRefOf(settings, databaseUrl, envFile),
    qstash: QSTASH_TOKEN ? { qstashUrl: QSTASH_URL || DEFAULT_QSTASH, token: QSTASH_TOKEN } : undefined,
    excludedFunctions: DEPLOY_MCP === 'false' ? ['mcp'] : [],
    hideSecrets: (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text),
  };
}

/** Throws a {@link StartError} if the settings belong to different projects. Undefined if none names a project. */
function projectRefOf(settings: NodeJS.Dict<string>, databaseUrl: URL, envFile: string): string | undefined {
  const { SUPABASE_PROJECT_ID, SUPABASE_URL = '', FUNCTIONS_URL = '' } = settings;
  const hosted = /^https:\/\/([a-z0-9]{20})\.supabase\.co\b/;
  const { hostname, username } = databaseUrl;
  const pooled = hostname.endsWith('.pooler.supabase.com') ? username : '';
  const refs = {
    SUPABASE_PROJECT_ID: SUPABASE_PROJECT_ID || undefined,
    SUPABASE_URL: hosted.exec(SUPABASE_URL)?.[1],
    FUNCTIONS_URL: hosted.exec(FUNCTIONS_URL)?.[1],
    SUPABASE_DB_URL:
      /^db\.([a-z0-9]{20})\.supabase\.co$/.exec(hostname)?.[1] ?? /\.([a-z0-9]{20})$/.exec(pooled)?.[1],
  };
  const named = Object.entries(refs).filter(([, ref]) => ref !== undefined);
  if (new Set(named.map(([, ref]) => ref)).size > 1) {
    const list = named.map(([name, ref]) => `${name} (${ref})`).join(', ');
    throw new StartError(`The settings in ${envFile} belong to different projects: ${list}. Correct them.`);
  }
  return named[0]?.[1];
}

/** Without quotes, a value ends at the first `#`. */
function rejectCutValues(text: string, envFile: string): void {
  const [, name] = /^\s*(?:export\s+)?(\w+)\s*=[ \t]*[^\s'"`#][^\s'"`#]*#/m.exec(text) ?? [];
  if (name === undefined) return;
  throw new StartError(
    `${name} in ${envFile} has a # without quotes, so its value ends there. Put the value in single quotes. In a URL, write %23.`,
  );
}

/** The file takes precedence. The environment is used only if the file has no address, so that a local stack is never changed by mistake. */
function databaseUrlOf(settings: NodeJS.Dict<string>, envFile: string): URL {
  const { PLACAR_DATABASE_URL, SUPABASE_DB_URL, DATABASE_URL, DATABASE_POOLER } = settings;
  const owner = PLACAR_DATABASE_URL || SUPABASE_DB_URL;
  const text = owner || DATABASE_URL || process.env.PLACAR_DATABASE_URL || '';
  const isAddress = /^postgres(ql)?:\/\//.test(text);
  if (isAddress && !isWellFormed(text)) {
    throw new StartError(
      `The address of the database in ${envFile} is not a valid URL. Percent-encode special characters of its password: % is %25, # is %23, @ is %40, / is %2F, ? is %3F.`,
    );
  }
  if (!isAddress) {
    throw new StartError(
      `${envFile} has no address of the database. Add SUPABASE_DB_URL: the direct address, or a pooler in session mode, with the user postgres.`,
    );
  }
  const url = new URL(text);
  const isTransactionPooler = !owner && text === DATABASE_URL && DATABASE_POOLER === 'transaction';
  if (isTransactionPooler || hasTransactionPooler(text)) throw new StartError(TRANSACTION_POOLER);
  return url;
}

function isWellFormed(address: string): boolean {
  try {
    const { hash, pathname, username, password } = new URL(address);
    return hash === '' && !pathname.includes('@') && decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** The password of a URL as written and decoded; nothing for other values. */
function passwordsOf(value: string): string[] {
  if (!URL.canParse(value)) return [];
  const { password } = new URL(value);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

export const TRANSACTION_POOLER =
  'The address of the database is a pooler in transaction mode, which cannot run migrations. Set SUPABASE_DB_URL to the direct address, or to a pooler in session mode.';

function secretsOf(settings: NodeJS.Dict<string>, databaseUrl: URL): string[] {
  const values = Object.entries(settings).flatMap(([name, value = '']) => {
    if (/TOKEN|KEY|SECRET|PASSWORD/.test(name)) return [value];
    return passwordsOf(value);
  });
  const { SUPABASE_ACCESS_TOKEN = '', GITHUB_TOKEN = '' } = process.env;
  return [...values, ...passwordsOf(databaseUrl.href), SUPABASE_ACCESS_TOKEN, GITHUB_TOKEN].filter(
    (value) => value.length > 3,
  );
}

/** Whether the host is this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname);
