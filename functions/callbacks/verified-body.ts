import type { Context } from 'hono';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Queue } from '../../shared/platform/jobs/publish.ts';
import { unsigned, type Verify } from '../../shared/platform/jobs/verify-qstash.ts';
import { BODY_DEADLINES, readBody } from '../../shared/platform/request/body.ts';
import type { RequestVariables } from '../../shared/platform/request/request-context.ts';

/** What every callback works with. */
export interface Dependencies {
  database: Database;
  queue: Queue;
  verify: Verify;
  /** Public address below which the functions answer. */
  functionsUrl: string;
}

/** A message names a job's row, and the sweep's has nothing at all. */
const BODY_LIMITS = { maxBytes: 4 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };

/** The body of a delivery that QStash really signed for this path. Throws 401 otherwise. */
export async function verifiedBody(
  c: Context<{ Variables: RequestVariables }>,
  path: string,
  { verify, functionsUrl }: Dependencies,
): Promise<Uint8Array> {
  const { headers } = c.req.raw;
  // Without a signature nothing needs to be read.
  if (!headers.has('upstash-signature')) throw unsigned('missing');
  const body = await readBody(c.req.raw, BODY_LIMITS);
  await verify({ headers, body, url: `${functionsUrl}${path}` });
  c.get('requestContext').trusted = true;
  return body;
}
