// `placar tenant move` and `resume`: runs a move from its current state to the end.
import { CliError, type ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { moveAccounts, moveProviderSecrets, writeTenant } from './accounts.ts';
import { copyApprovals, finishSwitch } from './after.ts';
import { checkMove, estimateBytes, hasDifferentCollation } from './check.ts';
import { copyFiles, countFiles, missingFiles } from './files.ts';
import { type Side, toCliError } from './side.ts';
import { findMove, findTenantId, type MoveRow, recordError } from './state.ts';
import { differingSums, readSums } from './sums.ts';
import {
  countRows,
  deleteOrphans,
  type Move,
  syncTables,
  type Table,
  type TableResult,
  tablesToCopy,
} from './tables.ts';
import { openWindow, thaw, type Window } from './window.ts';

export interface MoveOptions {
  slug: string;
  from: Side;
  to: Side;
  out: Output;
  signal: AbortSignal;
  dryRun: boolean;
  windowSeconds: number;
  plan: string | undefined;
  withLog: boolean;
  bytesPerSecond: number | undefined;
}

/** Comparison rounds before the freeze end when less than this share of the rows changes. */
const MAX_CHANGED_SHARE = 0.01;
const MAX_ROUNDS = 5;

export async function moveTenant(options: MoveOptions): Promise<ExitCode | undefined> {
  const { slug, from, to, out } = options;
  const present = await findMove(from, slug, 'out');
  const isNew = !present || present.state === 'finished' || present.state === 'rolled_back';
  if (isNew) {
    const problems = await checkMove({ ...options, tenantId: await findTenantId(from, slug) });
    for (const problem of problems) out.note(`- ${problem}`);
    if (problems.length > 0)
      throw new CliError(`${slug} cannot be moved: ${problems.join(' ')} Nothing was changed.`);
  }
  if (options.dryRun) return await describe(options);
  const move = isNew ? await begin(options) : present;
  try {
    await proceed(options, move);
    return undefined;
  } catch (error) {
    const stopped = toCliError(error, options.signal);
    await recordError([from, to], move.id, stopped.message);
    throw stopped;
  }
}

async function describe({ slug, from, to, out }: MoveOptions): Promise<undefined> {
  const tenantId = await findTenantId(from, slug);
  const [tables] = [await from.sql<Table[]>`select * from private.tables_to_copy(${tenantId})`];
  const rows = await countRows(from, tables);
  const bytes = await estimateBytes(from, rows);
  const files = (await missingFiles(from, to, tenantId)).length;
  out.note(
    `${slug} can be moved: ${rows} rows in ${tables.length} tables, about ${Math.ceil(bytes / 2 ** 20)} MiB with indexes, and ${files} files.`,
  );
  out.note('The destination needs three times as much free disk space. Nothing was changed.');
  out.json({ slug, rows, bytes, files });
  return undefined;
}

async function begin({ slug, from, to }: MoveOptions): Promise<MoveRow> {
  const tenantId = await findTenantId(from, slug);
  await from.sql`select admin.move_out(${tenantId}, ${to.functionsUrl})`;
  const move = await findMove(from, slug, 'out');
  if (!move) throw new CliError('The move was not recorded.');
  return move;
}

async function proceed(options: MoveOptions, { id, tenant_id: tenantId, state }: MoveRow): Promise<void> {
  const { slug, from, to, out, signal } = options;
  const arrival = await findMove(to, slug, 'in', id);
  const { bytesPerSecond } = options;
  const checkpoint = async () => signal.throwIfAborted();
  const move: Move = {
    id,
    tenantId,
    from,
    to,
    bytesPerSecond,
    checkpoint,
    sortsByBytes: await hasDifferentCollation(from, to),
  };
  if (state !== 'moved') {
    if (state !== 'copying') await from.sql`select admin.thaw_tenant(${id})`;
    if (arrival?.state === 'verified') await to.sql`select admin.thaw_tenant(${id})`;
    await copyWhileWorking(options, move);
    await switchOver(options, move);
  } else if (arrival?.state === 'verified') {
    await open(move);
  }
  if (options.withLog) {
    const { copyLog } = await import('./log.ts');
    out.note(`Copied ${await copyLog(move)} rows of the request log.`);
  }
  await finishSwitch({ ...options, id, tenantId });
  out.note(
    `${slug} is served by ${to.functionsUrl}. When you are sure, run npx placar tenant finish ${slug} --confirm ${slug}.`,
  );
}

/** Copies everything while the tenant keeps working. Then repeatedly copies the rows that changed, until few of them change. */
async function copyWhileWorking(options: MoveOptions, move: Move): Promise<void> {
  const { from, to, out } = options;
  await writeTenant(move, options.plan);
  const tables = await tablesToCopy(move);
  const total = await countRows(from, tables);
  for (const { sql } of [from, to]) await sql`select admin.record_move_progress(${move.id}, null, ${total})`;
  await numberEvents(move);
  out.note(`Copying ${total} rows.`);
  await copyUntilFewChange(move, tables, out);
  const files = await copyFiles({ ...move, onProgress: () => reportFile(move) });
  if (files > 0) out.note(`Copied ${files} files.`);
}

export async function copyUntilFewChange(move: Move, tables: readonly Table[], out: Output): Promise<void> {
  for (let round = 0; round <= MAX_ROUNDS; round++) {
    const results = await syncTables(move, tables, { again: round > 0 });
    const [rows, changed] = [sum(results, 'rows'), sum(results, 'changed')];
    out.note(
      round === 0
        ? `Copied ${changed} rows.`
        : `Round ${round}: ${changed} of ${rows} rows are in chunks that changed.`,
    );
    if (changed <= rows * MAX_CHANGED_SHARE) return;
  }
}

const sum = (results: readonly TableResult[], name: 'rows' | 'changed'): number =>
  results.reduce((total, result) => total + result[name], 0);

/** Assigns feed positions in advance, so that few are left to assign in the window. */
async function numberEvents({ from, tenantId, checkpoint }: Move): Promise<void> {
  for (let more = true; more; ) {
    await checkpoint();
    more = await from.sql.begin(async (tx) => {
      await tx`select set_config('app.tenant_id', ${tenantId}, true)`;
      const [row] = await tx`select app.number_events() as more`;
      return row?.more === true;
    });
  }
}

async function reportFile(move: Move): Promise<void> {
  await move.checkpoint();
  await move.to.sql`select admin.record_move_progress(${move.id})`;
}

/** The window: last copy, comparison and switch. Thaws if anything before the switch fails. */
async function switchOver(options: MoveOptions, move: Move): Promise<void> {
  const { from, to, out, signal } = options;
  const beganAt = performance.now();
  const window = await openWindow(from, move.id, options.windowSeconds, signal);
  try {
    await copyLast({ ...move, checkpoint: checkpointOf(window, signal) }, options);
    await to.sql`select admin.verify_move(${move.id})`;
    await from.sql`select admin.verify_move(${move.id})`;
    window.check();
    await from.sql`select admin.switch_tenant(${move.id})`;
  } catch (error) {
    await window.stop();
    await thaw(from, move.id);
    throw error;
  }
  await window.stop();
  await open(move);
  out.note(
    `Switched. The workspace was read-only for ${((performance.now() - beganAt) / 1000).toFixed(1)} s.`,
  );
}

async function open({ id, from, to }: Move): Promise<void> {
  await copyApprovals(id, from, to);
  await to.sql`select admin.open_tenant(${id})`;
}

export const checkpointOf = (window: Window, signal: AbortSignal) => async (): Promise<void> => {
  signal.throwIfAborted();
  window.check();
};

/** Copies what changed since the last round and compares everything. Throws if something differs. */
export async function copyLast(
  move: Move,
  { out, plan }: Pick<MoveOptions, 'out' | 'plan'>,
  isReturn = false,
): Promise<void> {
  const { from, to, tenantId } = move;
  if (!isReturn) await writeTenant(move, plan);
  const tables = await tablesToCopy(move);
  await moveProviderSecretsAfter(move, tables);
  const people = await moveAccounts(move);
  const results = await syncTables(
    move,
    tables.filter(({ how }) => how !== 'auth'),
    { again: true },
  );
  await deleteOrphans(move, tables);
  await copyFiles({ ...move, onProgress: move.checkpoint });
  const [ours, theirs, missing] = await Promise.all([
    readSums(from, tenantId),
    readSums(to, tenantId),
    missingFiles(from, to, tenantId),
  ]);
  await report(out, results, { ...ours, files: String(await countFiles(from, tenantId)) });
  if (people.missing > 0) {
    out.warn(
      `${people.missing} users share their account with other tenants of the source. Invite them again at the destination.`,
    );
  }
  const different = results.find(({ differsIn }) => differsIn !== undefined);
  if (different) {
    await reportDifference(move, tables, different, out);
    // Recorded in the databases, so without the key, which can be data of the tenant.
    throw new CliError(`${different.table} differs. The workspace can write again.`);
  }
  const [sumName] = differingSums(ours, theirs);
  if (sumName)
    throw new CliError(
      `${sumName} differs: ${ours[sumName]} and ${theirs[sumName]}. The workspace can write again.`,
    );
  if (ours['players with point differences'] !== '0') {
    throw new CliError(
      'admin.point_differences has rows of this tenant. Resolve them first. The workspace can write again.',
    );
  }
  if (missing.length > 0)
    throw new CliError(`${missing.length} files differ. The workspace can write again.`);
}

async function reportDifference(
  move: Move,
  tables: readonly Table[],
  { table: name, differsIn }: TableResult,
  out: Output,
): Promise<void> {
  const table = tables.find(({ table_name }) => table_name === name);
  if (!table || differsIn === undefined) return;
  const { firstDifference } = await import('./difference.ts');
  const key = await firstDifference(move, table, differsIn);
  out.note(`The first difference in ${name} has the key ${key}.`);
}

/** Keys refer to accounts, so the accounts come first. */
async function moveProviderSecretsAfter(move: Move, tables: readonly Table[]): Promise<void> {
  await syncTables(
    move,
    tables.filter(({ table_name: name }) => name === 'public.provider_accounts'),
    { again: false },
  );
  await moveProviderSecrets(move);
}

async function report(
  out: Output,
  results: readonly TableResult[],
  sums: Record<string, string>,
): Promise<void> {
  const filled = results.filter(({ rows }) => rows > 0);
  await out.table(
    ['table', 'rows', 'hash'],
    filled.map(({ table, rows, hash }) => [table, String(rows), hash]),
  );
  await out.table(['figure', 'value'], Object.entries(sums));
  out.json({ tables: results.map(({ table, rows, hash }) => ({ table, rows, hash })), sums });
}
