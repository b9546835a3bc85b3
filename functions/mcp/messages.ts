// POST /mcp: authenticates the sender, reads the message and dispatches it by its method.
import type { Context as HonoContext } from 'hono';
import { type AccessToken, callerOf } from '../../shared/platform/access/access-tokens.ts';
import { auditActorOf } from '../../shared/platform/access/guard.ts';
import type { RateLimitedSession } from '../../shared/platform/access/rate-limited-session.ts';
import {
  completeAdmission,
  openSession,
  type TokenOptions,
} from '../../shared/platform/access/require-token.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { App } from '../../shared/platform/http/app.ts';
import type { QStashQueue } from '../../shared/platform/jobs/publish.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { createBodiesInFlight, MAX_BYTES_IN_FLIGHT } from '../../shared/platform/request/bodies-in-flight.ts';
import {
  BODY_DEADLINES,
  checkEncoding,
  MINIMUM_RATE,
  mediaTypeOf,
  notJson,
} from '../../shared/platform/request/body.ts';
import type { RequestContext, RequestVariables } from '../../shared/platform/request/request-context.ts';
import { handshakeMethods, listen, modernMethods } from './methods.ts';
import {
  completed,
  type Message,
  ProtocolError,
  parseMessage,
  type Revision,
  readRevision,
} from './protocol.ts';

const BODY_LIMITS = {
  maxBytes: 256 * 1024,
  deadlineMs: BODY_DEADLINES.knownCaller,
  minimumRate: MINIMUM_RATE,
};

/** An authenticated sender of messages. */
export interface Sender {
  token: AccessToken;
  session: RateLimitedSession;
}

/** A JSON-RPC request, which gets a response. */
export interface Call extends Sender {
  message: Message;
  requestContext: RequestContext;
  log: Logger;
  signal: AbortSignal;
  queue: QStashQueue;
}

type Variables = RequestVariables & { sender: Sender };

export function addMessages(app: App, path: string, tokens: TokenOptions, queue: QStashQueue): void {
  const bodies = createBodiesInFlight(MAX_BYTES_IN_FLIGHT, BODY_LIMITS);
  app.on(
    'POST',
    path,
    async (c: HonoContext<{ Variables: Variables }>, next) => {
      const sender = await openSession(tokens, c);
      c.set('sender', sender);
      sender.session.countRequest();
      await next();
      await completeAdmission(sender.session, c);
    },
    async (c: HonoContext<{ Variables: Variables }>) => {
      const { requestContext, log, sender } = c.var;
      const request = c.req.raw;
      checkMediaTypes(request);
      const message = parseMessage(await bodies.read(request, sender.token.tenantId, requestContext));
      requestContext.loggedPath = `${path}${loggedPart(message.method)}`;
      if (message.id === undefined) return new Response(null, { status: 202 });
      requestContext.messageId = message.id;
      const revision = readRevision(message, request.headers);
      sender.session.auditActor = {
        ...auditActorOf({ ...callerOf(sender.token), scopes: sender.token.scopes }, requestContext, c.req),
        via: 'mcp',
        ...(revision.client && { program: programOf(revision.client) }),
      };
      const { signal } = request;
      return await answer({ ...sender, message, requestContext, log, signal, queue }, revision);
    },
  );
}

const MAX_CLAIM_LENGTH = 255;

/** The client's claim without characters that Postgres cannot store as JSON. */
const programOf = ({ name, version }: NonNullable<Revision['client']>) =>
  `${name}/${version}`
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MAX_CLAIM_LENGTH)
    .toWellFormed();

const METHOD = /^[A-Za-z_]{1,32}(\/[A-Za-z_]{1,32}){0,3}$/;

/** The part of a path in the request log that is the message's method. */
const loggedPart = (method: string) => (METHOD.test(method) ? `/${method}` : '');

/** Throws 406 and 415. */
function checkMediaTypes(request: Request): void {
  const accepted = request.headers.get('accept') ?? '*/*';
  const acceptsJson = accepted
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';')[0]?.trim() ?? '')
    .some((range) => ['application/json', 'application/*', '*/*'].includes(range));
  if (!acceptsJson) throw new ApiError('not_acceptable', 'Not acceptable. Accept application/json.');
  checkEncoding(request);
  if (mediaTypeOf(request) !== 'application/json') throw notJson();
}

async function answer(call: Call, { isModern }: Revision): Promise<Response> {
  const { message, requestContext } = call;
  const { method, id } = message;
  const respond = (member: object) => {
    return Response.json({ jsonrpc: '2.0', id, ...member }, { headers: { 'Cache-Control': 'no-store' } });
  };
  if (isModern && method === 'subscriptions/listen') return listen(message);
  const methods = isModern ? modernMethods : handshakeMethods;
  const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
  try {
    if (!run) throw new ProtocolError('unknownMethod', 'Unknown method.', { code: 'not_found' });
    const result = await run(call);
    await call.session.admit();
    return respond({ result: isModern ? completed(result) : result });
  } catch (error) {
    // Clients with a handshake interpret a 404 as the end of their session.
    const isSentWith200 =
      error instanceof ProtocolError &&
      (error.code === 'unprocessable' || (!isModern && error.code === 'not_found'));
    if (!isSentWith200) throw error;
    await call.session.admit();
    requestContext.failure = error;
    return respond({ error: { code: error.rpcCode, message: error.message } });
  }
}
