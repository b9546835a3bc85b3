// Creates boards.
import { randomBytes, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import { sha256Hex } from '../../platform/crypto.ts';
import { BOARD_TOKEN_PREFIX } from '../../records/boards/reads.ts';
import { selectNamed } from '../named/queries.ts';
import { expectRoom, lockRoom } from '../statements.ts';
import { type Changed, change } from '../transactions.ts';
import { boards, insertBoard } from './queries.ts';
import type { newBoard } from './schema.ts';

const MAX_BOARDS = 100;
const TOKEN_BYTES = 32;

/** Creates a board, whose token the answer shows once. Throws `unprocessable` for an unknown team or season, or too many boards. */
export async function createBoard(
  context: Context,
  { name, team = null, season = null, period, expires_at: expiresAt = null }: z.output<typeof newBoard>,
): Promise<Changed> {
  const { tenantId } = context;
  const id = randomUUID();
  const token = `${BOARD_TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const changed = await change(context, (sql) => ({
    room: [
      lockRoom(sql, tenantId, 'boards'),
      expectRoom(sql, tenantId, { table: 'boards', max: MAX_BOARDS, noun: 'boards' }),
    ],
    insert: insertBoard(sql, tenantId, {
      id,
      tokenHash: sha256Hex(token),
      name,
      team,
      season,
      period: period ?? (season === null ? 'month' : null),
      expiresAt,
    }),
    shown: selectNamed(sql, boards, tenantId, id),
  }));
  return { ...changed, record: { ...changed.record, token, path: `/board/${token}` } };
}
