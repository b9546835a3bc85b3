// The context that an endpoint passes to an operation. `write` adds the row of the request log, selects the jobs that the transaction
// created, and publishes them after the commit.
import type { Context, LoggedStatus } from '../access/context.ts';
import type { Caller, CallerSession } from '../access/guard.ts';
import { waitUntil } from '../background.ts';
import type { Transaction } from '../db/database.ts';
import { runAndCollectJobs } from '../jobs/new-jobs.ts';
import type { JobMessage, Queue } from '../jobs/publish.ts';
import type { Logger } from '../logger.ts';
import type { RequestContext } from '../request/request-context.ts';
import { insertRequestLog, logEntryOf } from '../request-log/request-log.ts';

/** The session and commit hook of a request's work. */
export interface RequestWork {
  session: CallerSession;
  /** Calls `then` once the work's changes are committed. */
  onCommit(then: () => void): void;
}

/** The effects of a request so far. */
export interface Effects {
  /** Whether a write transaction was committed. */
  stored: boolean;
}

export function createContext(
  queue: Queue | undefined,
  requestContext: RequestContext,
  { tenantId, actor }: Caller,
  { session, onCommit, successStatus, effects }: RequestWork & { successStatus: number; effects: Effects },
  log: Logger,
): Context {
  const { requestId } = requestContext;
  const write: Transaction = async (build) => {
    const rows = await session.write(build);
    onCommit(() => {
      effects.stored = true;
    });
    return rows;
  };
  /** Once the transaction is committed, and without keeping the caller waiting. */
  const publish = (jobs: JobMessage[]) =>
    onCommit(() => {
      if (queue && jobs.length > 0) waitUntil(() => queue.publish(jobs, log));
    });
  return {
    tenantId,
    actor,
    requestId,
    log,
    read: (build) => session.read(build),
    recheck: () => session.recheck(),
    async checkpoint(build) {
      const { rows, jobs } = await runAndCollectJobs(write, build);
      publish(jobs);
      return rows;
    },
    writeAfterFailure: write,
    async write(build, status: LoggedStatus = successStatus) {
      const { rows, jobs } = await runAndCollectJobs(write, build, (sql) => {
        const known = typeof status === 'number' ? status : successStatus;
        const entry = logEntryOf(requestContext, known);
        return insertRequestLog(sql, entry, typeof status === 'number' ? undefined : status(sql), () =>
          logEntryOf(requestContext, known),
        );
      });
      onCommit(() => {
        requestContext.logged = true;
      });
      publish(jobs);
      return rows;
    },
  };
}
