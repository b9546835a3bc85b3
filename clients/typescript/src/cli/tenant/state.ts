// Reads and records the state of a move, which is stored only in the two databases.
import { CliError, usageError } from '../exit-codes.ts';
import type { Side } from './side.ts';

export type MoveState = 'copying' | 'frozen' | 'verified' | 'moved' | 'open' | 'finished' | 'rolled_back';

export interface MoveRow {
  id: string;
  tenant_id: string;
  state: MoveState;
  closed: boolean;
  switched: boolean;
}

/** The latest move of a tenant at one side; undefined if there is none. */
export async function findMove(
  { sql }: Side,
  slug: string,
  direction: 'out' | 'in',
  id?: string,
): Promise<MoveRow | undefined> {
  const [row] = await sql<MoveRow[]>`
    select id, tenant_id, state, closed, switched_at is not null as switched from private.tenant_moves
    where slug = ${slug} and direction = ${direction} and (${id ?? null}::uuid is null or id = ${id ?? null}::uuid)
    order by state in ('finished', 'rolled_back'), created_at desc limit 1`;
  if (row) checkUuid(row.tenant_id);
  return row;
}

/** Both rows of the latest move. Throws if the source has none. */
export async function expectMove(
  from: Side,
  to: Side,
  slug: string,
): Promise<{ out: MoveRow; in: MoveRow | undefined }> {
  const out = await findMove(from, slug, 'out');
  if (!out) throw new CliError(`The source has no move of ${slug}.`);
  return { out, in: await findMove(to, slug, 'in', out.id) };
}

export async function findTenantId({ sql }: Side, slug: string): Promise<string> {
  const [row] = await sql`select id from public.tenants where slug = ${slug}`;
  if (!row) throw usageError(`The source has no tenant with the slug ${slug}.`);
  checkUuid(row.id);
  return row.id;
}

/** The id becomes part of SQL at the other side. */
function checkUuid(id: unknown): void {
  if (typeof id !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
    throw new CliError('The database sent an id that is not a UUID.');
}

/** Records why the command stopped, on every side that can be reached. */
export async function recordError(sides: readonly Side[], moveId: string, message: string): Promise<void> {
  await Promise.allSettled(
    sides.map(
      ({ sql }) => sql`select admin.record_move_progress(${moveId}, null, null, ${message.slice(0, 500)})`,
    ),
  );
}
