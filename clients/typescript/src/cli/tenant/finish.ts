// `placar tenant finish`: deletes the tenant at the source.
import { CliError, usageError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { dropTriggers, openAccounts } from './after.ts';
import { deleteFiles, missingFiles } from './files.ts';
import { readOne, type Side } from './side.ts';
import { expectMove } from './state.ts';

export async function finishMove(
  from: Side,
  to: Side,
  slug: string,
  confirm: string | undefined,
  out: Output,
): Promise<undefined> {
  if (confirm !== slug)
    throw usageError(`finish permanently deletes ${slug} at the source. Pass --confirm ${slug}.`);
  const move = await expectMove(from, to, slug);
  const { id, tenant_id: tenantId, state } = move.out;
  if (state !== 'finished') {
    if (state !== 'moved' || move.in?.state !== 'open') {
      throw new CliError(
        `The move is ${state} at the source and ${move.in?.state ?? 'unknown'} at the destination. Only a move that is moved and open can be finished.`,
      );
    }
    await refuseWhileOpen(from, to, tenantId);
    const files = await deleteFiles(from, tenantId);
    await repeat(from, id, slug);
    out.note(`Deleted ${slug} and ${files} files at the source.`);
  }
  await to.sql`select admin.finish_move(${id}, ${slug})`;
  await dropTriggers(id, from);
  return undefined;
}

async function refuseWhileOpen(from: Side, to: Side, tenantId: string): Promise<void> {
  const [accounts, files] = await Promise.all([openAccounts(tenantId, to), missingFiles(from, to, tenantId)]);
  const problems = [
    ...accounts.map(({ id, provider, problem }) => `The account ${id} at ${provider}: ${problem}.`),
    ...(files.length > 0
      ? [`The destination lacks ${files.length} files, the first is ${files[0]?.name}.`]
      : []),
  ];
  if (problems.length > 0)
    throw new CliError(`The move cannot be finished. ${problems.join(' ')} Nothing was deleted.`);
}

async function repeat({ sql }: Side, id: string, slug: string): Promise<void> {
  while ((await readOne<number>(sql`select admin.finish_move(${id}, ${slug}) as value`)) > 0) {}
}
