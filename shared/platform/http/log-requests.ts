// After each answer: a log line, and a row in the request log unless the transaction of the work wrote it.
import type { MiddlewareHandler } from 'hono';
import type { Database } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import { errorFields, type Logger } from '../logging/logger.ts';
import { createRequestLog } from '../logging/request-log.ts';
import { logEntryOf, type RequestVariables } from './request-context.ts';

export interface LogRequestsOptions {
  database: Database;
  log: Logger;
  /** Asked all the time, and never logged. */
  healthPath: string;
}

export function logRequests(options: LogRequestsOptions): MiddlewareHandler<{ Variables: RequestVariables }> {
  const { database, log, healthPath } = options;
  const record = createRequestLog(database, log);
  return async (c, next) => {
    await next();
    const request = c.get('requestContext');
    if (request.path === healthPath) return;
    const { status } = c.res;
    const reason = c.error instanceof ApiError ? c.error.reason : c.error && 'internal_error';
    const lines = c.get('log');
    const { method, loggedPath: path } = request;
    const summary = { method, path, status, reason, duration_ms: request.elapsedMs() };
    if (status >= 500)
      lines.error('request failed', { ...summary, ...errorFields(c.error?.cause ?? c.error) });
    else lines.info('request', summary);
    if (!request.logged) record(logEntryOf(request, status, reason));
  };
}
