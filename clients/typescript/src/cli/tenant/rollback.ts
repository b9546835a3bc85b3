// `placar tenant rollback`: undoes a move. After the switch, it copies back what changed at the destination first.
import { CliError } from '../exit-codes.ts';
import { copyApprovals, repointProviderWebhooks } from './after.ts';
import { hasDifferentCollation } from './check.ts';
import { deleteFiles } from './files.ts';
import { checkpointOf, copyLast, copyUntilFewChange, type MoveOptions } from './run.ts';
import { readOne, type Side, toCliError } from './side.ts';
import { expectMove, recordError } from './state.ts';
import { type Move, tablesToCopy } from './tables.ts';
import { openWindow, thaw } from './window.ts';

export async function rollBack(options: MoveOptions): Promise<undefined> {
  const { from, to, slug, out } = options;
  const move = await expectMove(from, to, slug);
  const { id, tenant_id: tenantId, state } = move.out;
  if (state === 'finished')
    throw new CliError(
      'The move is finished: the source no longer has the data. Move the tenant back instead.',
    );
  try {
    if (state === 'moved') {
      const arrived = move.in;
      if (arrived && arrived.state !== 'rolled_back' && arrived.switched)
        await returnTenant(options, id, tenantId);
      if (arrived) await copyApprovals(id, to, from);
      await openAgain(from, id);
      await repointProviderWebhooks(tenantId, from);
    } else {
      await from.sql`select admin.roll_back_move(${id})`;
    }
    if (move.in) await empty(options, id, tenantId);
  } catch (error) {
    const stopped = toCliError(error, options.signal);
    await recordError([from, to], id, stopped.message);
    throw stopped;
  }
  out.note(`${slug} is served by ${from.functionsUrl}. The destination is empty.`);
  return undefined;
}

/** Runs the move in reverse, until the destination stops serving the tenant. */
async function returnTenant(options: MoveOptions, id: string, tenantId: string): Promise<void> {
  const { from, to, out, signal } = options;
  await to.sql`select admin.thaw_tenant(${id})`;
  const checkpoint = async () => signal.throwIfAborted();
  const back: Move = {
    id,
    tenantId,
    from: to,
    to: from,
    bytesPerSecond: options.bytesPerSecond,
    checkpoint,
    sortsByBytes: await hasDifferentCollation(from, to),
  };
  await copyUntilFewChange(back, await tablesToCopy(back), out);
  const window = await openWindow(to, id, options.windowSeconds, signal);
  try {
    await copyLast({ ...back, checkpoint: checkpointOf(window, signal) }, options, true);
    await to.sql`select admin.verify_move(${id})`;
    window.check();
    await to.sql`select admin.roll_back_move(${id})`;
  } catch (error) {
    await window.stop();
    await thaw(to, id);
    throw error;
  }
  await window.stop();
}

/** Only after the destination has stopped: the setting confirms that to the database. */
async function openAgain({ sql }: Side, id: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('app.moving', ${id}, true)`;
    await tx`select admin.roll_back_move(${id})`;
  });
}

async function empty({ from, to }: MoveOptions, id: string, tenantId: string): Promise<void> {
  await deleteFiles(to, tenantId);
  const accounts = await readOne<string[]>(
    from.sql`select coalesce(array_agg(auth_user_id::text), '{}') as value from private.user_accounts where tenant_id = ${tenantId}`,
  );
  while ((await readOne<number>(to.sql`select admin.roll_back_move(${id}) as value`)) > 0) {}
  await to.sql`select private.forget_copied_accounts(${id}, ${accounts}::text[]::uuid[])`;
}
