// Reads boards.
import type { Context } from '../../platform/access/context.ts';
import { getNamed, listNamed } from '../named/reads.ts';
import type { Paging } from '../statements.ts';
import { boards } from './queries.ts';

export const listBoards = (context: Context, paging: Paging) => listNamed(context, boards, paging);

/** The board with this id or name. Throws `not_found`, and `conflict` if several have the name. */
export const getBoard = (context: Context, ref: string) => getNamed(context, boards, ref);
