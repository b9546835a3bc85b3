// `placar log archive`: writes a month of the request log to a file and drops its partition. Needs the database URL.
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../context.ts';
import { connectDatabase } from '../database.ts';
import type { Run } from '../main.ts';
import { required } from '../settings.ts';

interface Options {
  month: string;
  out: string;
  keep?: boolean;
}

const monthOf = (text: string) => {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a month, such as 2026-11.');
};

export function logCommand(parent: Command, run: Run): void {
  const log = parent.command('log').description('Archives of the request log');
  log
    .command('archive')
    .description('Write a month to a file, read it back and drop its partition; needs PLACAR_DATABASE_URL')
    .requiredOption('--month <month>', 'month to archive (UTC), such as 2026-11', monthOf)
    .requiredOption('--out <folder>', 'folder of the archives')
    .option('--keep', 'leave the partition in the database')
    .action((options: Options) => run((context) => archive(context, options)));
}

async function archive({ out, settings, signal }: Context, options: Options): Promise<undefined> {
  const { databaseUrl } = required(settings, ['databaseUrl'], 'placar log archive');
  const { archiveMonth } = await import('../log/archive.ts');
  const sql = await connectDatabase(databaseUrl);
  try {
    const { month, out: folder, keep = false } = options;
    const { manifest, isDropped } = await archiveMonth({
      sql,
      month,
      folder,
      keep,
      signal,
      note: (text) => out.note(text),
    });
    const { file, rows, bytes, sha256 } = manifest;
    const state = isDropped ? 'The partition is dropped.' : 'The partition stays in the database.';
    out.show(`${file}: ${rows} rows of ${month}, ${bytes} bytes, SHA-256 ${sha256}. ${state}`, {
      ...manifest,
      dropped: isDropped,
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
}
