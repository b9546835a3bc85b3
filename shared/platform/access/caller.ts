// The caller of a request as the audit trail names it.
import type { HonoRequest } from 'hono';
import type { Caller } from '../db/database.ts';
import type { RequestContext } from '../request/request-context.ts';

const MAX_CLAIM_LENGTH = 255;

/** `User-Agent` and `X-On-Behalf-Of` are claims of the caller and are not verified. */
export const callerOf = (
  by: Pick<Caller, 'kind' | 'id'>,
  { requestId }: RequestContext,
  request: HonoRequest,
): Caller => ({
  ...by,
  request_id: requestId,
  program: request.header('user-agent')?.slice(0, MAX_CLAIM_LENGTH),
  on_behalf_of: request.header('x-on-behalf-of')?.slice(0, MAX_CLAIM_LENGTH),
});
