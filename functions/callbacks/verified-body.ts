// Reads and verifies the body of a QStash message.
import type { Context } from 'hono';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Queue } from '../../shared/platform/jobs/publish.ts';
import { unsigned, type Verify } from '../../shared/platform/jobs/verify-qstash.ts';
import { BODY_DEADLINES, readBody } from '../../shared/platform/request/body.ts';
import type { RequestVariables } from '../../shared/platform/request/request-context.ts';

/** Dependencies of all callback routes. */
export interface Dependencies {
  database: Database;
  queue: Queue;
  verify: Verify;
  /** Public base URL of the functions. */
  functionsUrl: string;
}

/** A job message contains only the row's id, and the sweep's body is empty. */
const BODY_LIMITS = { maxBytes: 4 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };

/** Returns the body if QStash signed it for this path. Throws 401 otherwise. */
export async function verifiedBody(
  c: Context<{ Variables: RequestVariables }>,
  path: string,
  { verify, functionsUrl }: Dependencies,
): Promise<Uint8Array> {
  const { headers } = c.req.raw;
  // Rejects an unsigned request before reading its body.
  if (!headers.has('upstash-signature')) throw unsigned('missing');
  const body = await readBody(c.req.raw, BODY_LIMITS);
  await verify({ headers, body, url: `${functionsUrl}${path}` });
  const { requestContext } = c.var;
  requestContext.trusted = true;
  requestContext.trace?.trustCaller();
  return body;
}
