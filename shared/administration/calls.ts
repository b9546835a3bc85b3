// Calls of the functions of the schema `manage`, which read and change the administration of the transaction's tenant.
import {
  type Fragment,
  oneRow,
  type Sql,
  type Statement,
  type Transaction,
} from '../platform/db/database.ts';
import { isSqlError } from '../platform/db/sql-errors.ts';
import {
  ApiError,
  type ErrorCode,
  type ErrorDetail,
  errorTable,
  UNPROCESSABLE_MESSAGE,
} from '../platform/errors.ts';
import { entityTagOf } from './entity-tag.ts';

/** A function of the schema `manage` and its named arguments. Objects are sent as JSON. */
export interface ManageCall {
  name: string;
  args: Readonly<Record<string, unknown>>;
}

/** The result of a function. */
export interface ManageResult {
  /** The record, as the API shows it. */
  record?: Record<string, unknown>;
  /** The version of the record, for its ETag. */
  version?: string;
  /** The change in one sentence, as in the audit trail. */
  summary?: string;
  /** Whether the record was created, for calls that create or update. */
  made?: boolean;
  records?: Record<string, unknown>[];
  /** The number of records of all pages. */
  total?: number;
  next_cursor?: string | null;
  has_more?: boolean;
}

/** The statement of a call. */
export function manage(sql: Sql, { name, args }: ManageCall): Statement<{ answer: ManageResult }> {
  const given = Object.entries(args).map(
    ([argument, value]): Fragment => sql`${sql(argument)} => ${encode(value)}`,
  );
  const list = given.reduce<Fragment>((all, one, i) => (i === 0 ? one : sql`${all}, ${one}`), sql``);
  return sql<{ answer: ManageResult }>`select manage.${sql(name)}(${list}) as answer`;
}

function encode(value: unknown): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean);
}

/** Runs a call in a transaction. Throws the error that the function raises. */
export async function runCall(run: Transaction, call: ManageCall): Promise<ManageResult> {
  try {
    const rows = await run((sql) => manage(sql, call));
    return oneRow(rows).answer;
  } catch (error) {
    throw manageError(error) ?? error;
  }
}

/** The status of a request whose call creates or updates. Other calls do not set it, and the request has the given status. */
export const callStatus = (sql: Sql, status: number): Fragment =>
  sql`coalesce(nullif(current_setting('manage.status', true), '')::integer, ${status}::integer)`;

interface RefusalDetail {
  message: string;
  details?: ErrorDetail[];
  /** The scopes that the caller lacks. */
  scopes?: string[];
  extra?: Record<string, string | number | object>;
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);

/** The error that `private.reject` raised; undefined for other errors. */
export function manageError(error: unknown): ApiError | undefined {
  if (isSqlError(error, 'argumentRejected')) return argumentRejected(error.message);
  if (!isSqlError(error, 'manageRejected') || !isErrorCode(error.message)) return undefined;
  const { message, details, scopes, extra } = JSON.parse(error.detail ?? '{}') as RefusalDetail;
  const { version, retry_after: retryAfterSeconds, ...members } = extra ?? {};
  return new ApiError(error.message, message, {
    ...(details && { details }),
    ...(scopes && { challenge: { error: 'insufficient_scope', scope: scopes.join(' ') } }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
    ...(Object.keys(members).length > 0 && { extra: members as Record<string, string | object> }),
    ...(typeof version === 'string' && { headers: { ETag: entityTagOf(version, members.current) } }),
    reason: error.message,
  });
}

/** Functions of the schema `admin` name the argument, or a member of it: `settings.taxes.iss: must be a percentage`. */
function argumentRejected(message: string): ApiError {
  const [, field, rule] = /^([a-z_]+(?:[.[].+?)?): (.*)$/s.exec(message) ?? [];
  return new ApiError('unprocessable', UNPROCESSABLE_MESSAGE, {
    details: field && rule ? [{ field, message: rule }] : [],
    reason: 'unprocessable',
  });
}
