// Reads a board for someone who has its token.
import { rejectClosedTenant, type TenantLocation } from '../../platform/access/tenant-moves.ts';
import type { Database } from '../../platform/db/database.ts';
import { utcTime } from '../../platform/instants.ts';
import type { BoardResponse } from './schema.ts';

export const BOARD_TOKEN_PREFIX = 'board_';

interface BoardRow extends TenantLocation {
  board: BoardResponse;
}

/** The board with this SHA-256 (hex) of its token; undefined if there is none or it has expired. Throws 421 and 503 for a moved tenant. */
export async function readBoard(database: Database, tokenHash: string): Promise<BoardResponse | undefined> {
  const [row] = await database.asLogin<BoardRow>(
    'reads',
    (sql) => sql`select closed, moved_to, board from app.open_board(${tokenHash})`,
  );
  if (!row) return undefined;
  rejectClosedTenant(row);
  const { name, workspace, team, period, season, updated_at: updatedAt, entries } = row.board;
  return { name, workspace, team, period, season, updated_at: utcTime(updatedAt), entries };
}
