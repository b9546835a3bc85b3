// `placar doctor`: checks the health of a deployment and prints a table of findings with fixes.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import type { Sql } from 'postgres';
import { functionsUrl } from '../../core/options.ts';
import type { Context } from '../context.ts';
import { connectDatabase, hasTransactionPooler, sharesServerConnections } from '../database.ts';
import type { Finding, Status } from '../doctor/check.ts';
import { type ExitCode, exitCodes, usageError } from '../exit-codes.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { hidePassword, required } from '../settings.ts';

interface Options {
  envFile?: string;
}

export function doctorCommand(parent: Command, run: Run): void {
  parent
    .command('doctor')
    .description('Check the health of a deployment; reads function settings from the environment or a file')
    .option(
      '--env-file <path>',
      'file with the function settings, such as .env.production (default: PLACAR_ENV_FILE)',
    )
    .action((options: Options) => run((context) => doctor(context, options)));
}

async function doctor(context: Context, { envFile }: Options): Promise<ExitCode> {
  const { out, settings, signal } = context;
  const path = envFile ?? (process.env.PLACAR_ENV_FILE || undefined);
  const fromFile = path === undefined ? {} : readEnvFile(path);
  // The settings check reuses the functions' own code, which reads process.env.
  Object.assign(process.env, fromFile);
  const url = fromFile.FUNCTIONS_URL || settings.url || process.env.FUNCTIONS_URL || '';
  if (!url && path !== undefined) throw usageError(`placar doctor needs FUNCTIONS_URL in ${path}.`);
  if (!url) required(settings, ['url'], 'placar doctor');
  const [{ examine }, { addressSettings, secretSettings }] = await Promise.all([
    import('../doctor/examine.ts'),
    import('../doctor/functions.ts'),
  ]);
  for (const name of secretSettings) hideValue(context, process.env[name]);
  for (const name of addressSettings) hidePassword(process.env[name], out);
  const urlOfFunctions = process.env.DATABASE_URL || process.env.SUPABASE_DB_URL;
  const databaseUrl = settings.databaseUrl || process.env.SUPABASE_DB_URL || urlOfFunctions;
  for (const address of [databaseUrl, urlOfFunctions]) hidePassword(address, out);
  const functionsSql = urlOfFunctions ? await connectDatabase(urlOfFunctions) : undefined;
  const connected = databaseUrl ? await connectDatabase(databaseUrl) : undefined;
  try {
    const sql = connected && (await isOwner(connected)) ? connected : undefined;
    const sharesConnections = sql !== undefined && (await isTransactionPooler(sql, databaseUrl));
    const deployment = {
      url: functionsUrl(url),
      env: process.env,
      apiKey: settings.apiKey,
      sql: sharesConnections ? undefined : sql,
      sharesConnections,
      functionsSql,
      signal,
    };
    const findings = await examine(deployment);
    await tell(context, findings);
    return findings.some(({ status }) => status === 'failed') ? exitCodes.failed : exitCodes.ok;
  } finally {
    await Promise.all([connected?.end({ timeout: 1 }), functionsSql?.end({ timeout: 1 })]);
  }
}

/** Whether the database user has the privileges that the checks need. True if the database does not respond, because a check reports that. */
async function isOwner(sql: Sql): Promise<boolean> {
  try {
    const [row] = await sql.unsafe("select has_schema_privilege('admin', 'usage') as owner").simple();
    return row?.owner === true;
  } catch {
    return true;
  }
}

async function isTransactionPooler(sql: Sql, address = ''): Promise<boolean> {
  if (hasTransactionPooler(address)) return true;
  try {
    return await sharesServerConnections(sql, await connectDatabase(address));
  } catch {
    return false;
  }
}

function readEnvFile(path: string): Record<string, string> {
  try {
    // Some editors begin a file with a byte order mark.
    const entries = Object.entries(parseEnv(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')));
    return Object.fromEntries(
      entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  } catch {
    throw usageError(`Cannot read ${path}.`);
  }
}

/** Hides the value and, if it is JSON, every string in it. */
function hideValue({ out }: Context, value: string | undefined): void {
  if (!value) return;
  out.hide(value);
  try {
    for (const part of Object.values(JSON.parse(value) as object))
      if (typeof part === 'string' && part.length > 8) out.hide(part);
  } catch {}
}

async function tell({ out }: Context, findings: Finding[]): Promise<void> {
  for (const finding of findings) out.json(finding);
  const { green, red, yellow, dim } = out.colors;
  const colors: Record<Status, (text: string) => string> = {
    ok: green,
    warning: yellow,
    failed: red,
    'not checked': dim,
  };
  await out.table(
    ['check', 'status', 'finding and fix'],
    findings.map(({ check, status, found, todo }) => [
      check,
      colors[status](status),
      todo === undefined ? printable(found) : `${printable(found)}\n${dim(`-> ${printable(todo)}`)}`,
    ]),
  );
  const counts = (Object.keys(colors) as Status[]).map(
    (status) => `${findings.filter((finding) => finding.status === status).length} ${status}`,
  );
  out.say(counts.join(', '));
}
