// GET /board: standings on a screen, read with the token of the board, which opens nothing else.
import { createHash } from 'node:crypto';
import { type Counter, limits, rejectExcess } from '../../shared/platform/access/request-counter.ts';
import { createUnknownCallerLimit, lookUpCaller } from '../../shared/platform/access/unknown-caller-limit.ts';
import { sha256Hex } from '../../shared/platform/crypto.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { entityTagsOf, matchesAny } from '../../shared/platform/entity-tags.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';

const PATH = '/v1/board';
const AUTHORIZATION = /^Bearer +(board_[\w-]{43})$/i;

const unauthorized = (reason: 'missing' | 'bad_token') =>
  new ApiError('unauthorized', 'The token of the board is missing or unknown, or the board has ended.', {
    reason,
    ...(reason === 'bad_token' && { challenge: { error: 'invalid_token' } }),
  });

export function mountBoard(app: App, { database, counter }: { database: Database; counter: Counter }): void {
  const unknownCallerLimit = createUnknownCallerLimit();
  addRoute(app, 'get', PATH, async (c) => {
    const header = c.req.header('authorization');
    const token = AUTHORIZATION.exec(header ?? '')?.[1];
    if (!token) throw unauthorized(header ? 'bad_token' : 'missing');
    const uncountAttempt = unknownCallerLimit.attempt(c.var.requestContext.address);
    const tokenHash = sha256Hex(token);
    const { readBoard } = await import('../../shared/records/boards/reads.ts');
    const [board, usage] = await Promise.all([
      lookUpCaller(uncountAttempt, () => readBoard(database, tokenHash)),
      counter.count('board', tokenHash, c.var.log),
    ]);
    if (!board) throw unauthorized('bad_token');
    uncountAttempt();
    const { max } = limits.board;
    rejectExcess(usage, max, `Too many requests (limit ${max} per minute for a board).`);
    const body = JSON.stringify({ data: board });
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache, no-transform', Vary: 'Authorization' };
    if (matchesAny(entityTagsOf(c.req.raw.headers, 'If-None-Match'), etag))
      return new Response(null, { status: 304, headers });
    return new Response(body, { headers: { ...headers, 'Content-Type': 'application/json' } });
  });
}
