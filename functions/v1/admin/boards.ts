// Operations of the admin API: boards.
import { boards } from '../../../shared/administration/boards/queries.ts';
import { board, boardWithToken, newBoard } from '../../../shared/administration/boards/schema.ts';
import { createBoard } from '../../../shared/administration/boards/writes.ts';
import { getNamed, listNamed } from '../../../shared/administration/named/reads.ts';
import { deleteNamedRecord } from '../../../shared/administration/named/writes.ts';
import { operation } from './operation.ts';

// A board shows names to everyone who passes by, so that `admin` does not include it.
const writes = { scopes: ['manage:access'] } as const;
const reads = { ...writes, method: 'get' } as const;

export const boardOperations = {
  listBoards: operation({
    ...reads,
    path: '/boards',
    summary: 'List boards',
    form: 'page',
    data: board,
    run: ({ paging }, context) => listNamed(context, boards, paging),
  }),
  createBoard: operation({
    ...writes,
    method: 'post',
    path: '/boards',
    summary: 'Create a board',
    description: 'A board shows standings on a screen to everyone who has its token.',
    status: 201,
    body: newBoard,
    data: boardWithToken,
    versioned: true,
    shownOnce: ['token', 'path'],
    run: ({ body }, context) => createBoard(context, body),
  }),
  getBoard: operation({
    ...reads,
    path: '/boards/:id',
    summary: 'Get a board',
    data: board,
    versioned: true,
    run: ({ params }, context) => getNamed(context, boards, params.id),
  }),
  deleteBoard: operation({
    ...writes,
    method: 'delete',
    path: '/boards/:id',
    summary: 'Delete a board',
    description: 'Its token stops working with the next request, permanently.',
    versioned: true,
    run: ({ params, versions }, context) => deleteNamedRecord(context, boards, { ref: params.id, versions }),
  }),
};
