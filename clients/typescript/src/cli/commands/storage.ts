// `placar storage copy` and `placar storage verify`: the files of tax documents and boletos.
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import type postgres from 'postgres';
import type { Context } from '../context.ts';
import { connectDatabase } from '../database.ts';
import { type ExitCode, exitCodes, usageError } from '../exit-codes.ts';
import type { Run } from '../main.ts';
import { readProjectFile } from '../project-file.ts';
import type { FileStorage } from '../storage/files.ts';

interface CopyFlags {
  from: string;
  to: string;
  tenant?: string;
  deleteExtra?: boolean;
}

const SETTINGS = ['DATABASE_URL', 'SUPABASE_URL', 'SUPABASE_SECRET_KEYS'] as const;
const FILE_HELP = `a file with ${SETTINGS.join(', ')}`;

export function storageCommand(parent: Command, run: Run): void {
  const storage = parent.command('storage').description('Files of tax documents and boletos');
  storage
    .command('copy')
    .description('Copy files between projects, or to and from a folder; run it again to continue')
    .requiredOption('--from <file>', `source: ${FILE_HELP}, or a folder with a copy`)
    .requiredOption('--to <file>', `destination: a file with the same settings, or a folder`)
    .option('--tenant <slug>', 'only the files of this tenant')
    .option('--delete-extra', 'delete files that the source does not have')
    .action((flags: CopyFlags) => run((context) => copy(context, flags)));
  storage
    .command('verify')
    .description('Compare the files of a project with the rows that refer to them')
    .requiredOption('--from <file>', `project: ${FILE_HELP}`)
    .option('--tenant <slug>', 'only the files of this tenant')
    .action((flags: { from: string; tenant?: string }) => run((context) => verify(context, flags)));
}

interface Opened {
  storage: FileStorage;
  /** The project's database; undefined for a folder. */
  sql: postgres.Sql | undefined;
}

/** Opens a project by its file. Everything that is not a file is a folder. */
async function open(path: string, { out }: Context): Promise<Opened> {
  const { folderOf } = await import('../storage/folder.ts');
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found && path.endsWith('.env')) throw usageError(`${path} does not exist.`);
  if (!found?.isFile()) return { storage: await folderOf(path), sql: undefined };
  const settings = readProjectFile(path, SETTINGS, out);
  const { projectBucket } = await import('../storage/project-bucket.ts');
  const sql = await connectDatabase(settings.DATABASE_URL);
  return { storage: projectBucket(sql, settings), sql };
}

/** The files of a tenant are below its id. */
async function prefixOf(sql: postgres.Sql | undefined, slug: string | undefined): Promise<string> {
  if (slug === undefined) return '';
  if (!sql) throw usageError('--tenant needs a project as the source or the destination.');
  const [tenant] = await sql<{ id: string }[]>`select id from public.tenants where slug = ${slug}`;
  if (!tenant) throw usageError(`The tenant ${slug} does not exist.`);
  return `${tenant.id}/`;
}

async function copy(context: Context, flags: CopyFlags): Promise<ExitCode> {
  const { out, signal } = context;
  if (!statSync(flags.from, { throwIfNoEntry: false })) throw usageError(`${flags.from} does not exist.`);
  const from = await open(flags.from, context);
  const to = await open(flags.to, context);
  try {
    const prefix = await prefixOf(from.sql ?? to.sql, flags.tenant);
    const { copyFiles } = await import('../storage/copy.ts');
    const options = {
      from: from.storage,
      to: to.storage,
      prefix,
      deleteExtra: flags.deleteExtra ?? false,
      out,
      signal,
    };
    const counts = await copyFiles(options);
    out.json(counts);
    await out.table(
      ['files', 'copied', 'replaced', 'unchanged', 'extra', 'deleted', 'failed', 'bytes'],
      [
        [
          counts.files,
          counts.copied,
          counts.replaced,
          counts.unchanged,
          counts.extra,
          counts.deleted,
          counts.failed,
          counts.bytes,
        ].map(String),
      ],
    );
    return counts.failed > 0 ? exitCodes.failed : exitCodes.ok;
  } finally {
    await Promise.all([from.storage.close(), to.storage.close()]);
  }
}

async function verify({ out }: Context, flags: { from: string; tenant?: string }): Promise<ExitCode> {
  const { DATABASE_URL } = readProjectFile(flags.from, ['DATABASE_URL'], out);
  const sql = await connectDatabase(DATABASE_URL);
  try {
    const { verifyFiles } = await import('../storage/verify.ts');
    const found = await verifyFiles(sql, await prefixOf(sql, flags.tenant));
    out.json(found);
    out.say(`${found.files} files, ${found.required} required by tax documents`);
    for (const name of found.missing) out.say(`missing: ${name}`);
    for (const name of found.unnamed) out.say(`no row refers to this file: ${name}`);
    return found.missing.length > 0 ? exitCodes.failed : exitCodes.ok;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
