// Lists of tools: `{items, next_cursor}`, made from the pages of an operation and limited in size.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ApiError, invalid } from '../../shared/platform/errors.ts';
import type { OperationName } from './endpoints.ts';
import type { RunOperation } from './operations.ts';
import { isObject } from './protocol.ts';
import type { Arguments } from './tool.ts';
import { clean } from './tool-results.ts';

/** Maximum size of the items of a result as JSON, unless a single item is larger. */
const MAX_BYTES = 64 * 1024;
export const LIMITS = { default: 20, max: 50 } as const;

interface ToolList {
  items: readonly unknown[];
  next_cursor: string | null;
}

interface ListCall {
  operation: OperationName;
  params?: Readonly<Record<string, string>>;
  /** `limit`, `cursor` and the parameters of the operation. */
  given: Arguments;
}

/** The first items that fit, at least one. */
function fitting(all: readonly unknown[]): readonly unknown[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  const count = all.findIndex((item, index) => {
    bytes += encoder.encode(JSON.stringify(clean(item))).byteLength;
    return bytes > MAX_BYTES && index > 0;
  });
  return count === -1 ? all : all.slice(0, count);
}

const listIn = (body: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(body.data) ? body.data : [];

const metaIn = ({ meta }: Readonly<Record<string, unknown>>) => (isObject(meta) ? meta : {});

/** Totals up to this number are exact. */
const EXACT_TOTALS = 10_000;

/** Where a list continues: after `skip` items of a page of this size. */
interface Position {
  page: number;
  size: number;
  skip: number;
}

/** Lists an operation with numbered pages. */
export async function listPages(
  run: RunOperation,
  { operation, params, given }: ListCall,
): Promise<ToolList> {
  const { limit: sentLimit, cursor, ...query } = given;
  const limit = Number(sentLimit ?? LIMITS.default);
  const list = fingerprintOf([operation, params ?? {}, query]);
  const { page, size, skip }: Position =
    cursor === undefined ? { page: 1, size: limit, skip: 0 } : readCursor(cursor, list);
  // The rows around a user are not numbered pages.
  const isCentered = query.around !== undefined;
  const body = await run(operation, {
    ...(params && { params }),
    query: { ...query, per_page: size, ...(!isCentered && { page }) },
  });
  const data = listIn(body);
  const items = fitting(data.slice(skip, skip + limit));
  const taken = skip + items.length;
  const total = Number(metaIn(body).total ?? 0);
  const hasNextPage = !isCentered && data.length === size && (total > page * size || total > EXACT_TOTALS);
  const next =
    taken < data.length
      ? { page, size, skip: taken }
      : hasNextPage
        ? { page: page + 1, size, skip: 0 }
        : null;
  return { items, next_cursor: next && writeCursor(next, list) };
}

/** Lists an operation with cursors. */
export async function listFeed(run: RunOperation, { operation, params, given }: ListCall): Promise<ToolList> {
  const { limit: sentLimit, cursor, ...query } = given;
  const read = (limit: number) =>
    run(operation, { ...(params && { params }), query: { ...query, limit, after: cursor } });
  let body = await read(Number(sentLimit ?? LIMITS.default)).catch(withArgumentName);
  const items = fitting(listIn(body));
  if (items.length < listIn(body).length) body = await read(items.length);
  const { has_more: hasMore, next_cursor: next } = metaIn(body);
  return { items, next_cursor: hasMore === true ? String(next) : null };
}

/** Throws the error with the name of the argument instead of the parameter. */
function withArgumentName(error: unknown): never {
  const isCursor = error instanceof ApiError && error.details?.some(({ field }) => field === 'after');
  throw isCursor ? invalidCursor() : error;
}

const fingerprintOf = (list: unknown) =>
  createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 12);

const writeCursor = ({ page, size, skip }: Position, list: string): string =>
  Buffer.from(JSON.stringify([page, size, skip, list])).toString('base64url');

function readCursor(cursor: unknown, list: string): Position {
  const [page, size, skip, of] = parseCursor(cursor);
  const isCount = (value: unknown, min: number): value is number =>
    Number.isInteger(value) && Number(value) >= min;
  if (isCount(page, 1) && isCount(size, 1) && size <= LIMITS.max && isCount(skip, 0) && of === list)
    return { page, size, skip };
  throw invalidCursor();
}

const invalidCursor = (): ApiError =>
  invalid('argument', 'cursor', 'must be the next_cursor of the same list with the same arguments');

function parseCursor(cursor: unknown): unknown[] {
  try {
    const value: unknown = JSON.parse(atob(String(cursor).replaceAll('-', '+').replaceAll('_', '/')));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
