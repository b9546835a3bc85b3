// POST /providers/<provider>/<account id>: a provider's webhook for one account. It is stored unchanged; a job applies it.
// POST /providers/asaas/<account id>/approvals: Asaas asks whether Placar ordered a transfer or a PIX refund.
import type { Context } from 'hono';
import type { Providers } from '../../shared/payments/providers/provider.ts';
import { findMovedLink } from '../../shared/platform/access/tenant-moves.ts';
import { createUnknownCallerLimit, lookUpCaller } from '../../shared/platform/access/unknown-caller-limit.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import { createBodiesInFlight } from '../../shared/platform/request/bodies-in-flight.ts';
import { BODY_DEADLINES, parseJsonObject } from '../../shared/platform/request/body.ts';
import type { RequestVariables } from '../../shared/platform/request/request-context.ts';
import { orTimeout } from '../../shared/platform/waits.ts';
import type { Dependencies } from './app.ts';
import { forwardWebhook } from './forward-webhook.ts';

/** Large enough for Stripe's events, which contain the whole object. */
const BODY_LIMITS = { maxBytes: 512 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };
/** Bodies are read before their signature can be verified, and this worker also runs the jobs, so they may use little of its memory. */
const MAX_BYTES_IN_FLIGHT = { tenant: 4 * 1024 * 1024, worker: 16 * 1024 * 1024 };
const PATH = '/callbacks/providers/:provider/:account';
const APPROVALS_PATH = '/callbacks/providers/asaas/:account/approvals';
/** Format of account ids. Other ids are rejected without a query. */
const ACCOUNT_ID = /^pacc_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Asaas cancels a transfer if it gets no response in time. */
const APPROVAL_TIMEOUT_MS = 900;

type CallbackContext = Context<{ Variables: RequestVariables }>;

export function addProviders(app: App, { database, queue }: Dependencies, providers: Providers): void {
  const unknownCallerLimit = createUnknownCallerLimit();
  const bodies = createBodiesInFlight(MAX_BYTES_IN_FLIGHT, BODY_LIMITS);

  addRoute(app, 'post', APPROVALS_PATH, async (c) => {
    const accountId = c.req.param('account');
    if (!ACCOUNT_ID.test(accountId)) throw invalidWebhookSignature();
    const uncountAttempt = unknownCallerLimit.attempt(c.var.requestContext.address);
    const result = await orTimeout(
      decide(c, accountId, uncountAttempt),
      APPROVAL_TIMEOUT_MS,
      decisionTimedOut,
    );
    return 'movedTo' in result
      ? await forwardToMovedTenant(result.movedTo, accountId, c, uncountAttempt)
      : c.json(result);
  });

  addRoute(app, 'post', PATH, async (c) => {
    const { requestContext, log } = c.var;
    const { provider, account: accountId } = c.req.param();
    if (!ACCOUNT_ID.test(accountId)) throw invalidWebhookSignature();
    const uncountAttempt = unknownCallerLimit.attempt(requestContext.address);
    const movedTo = await lookUpCaller(uncountAttempt, () =>
      findMovedLink(database, 'provider_account', accountId),
    );
    if (movedTo !== undefined) return await forwardToMovedTenant(movedTo, accountId, c, uncountAttempt);
    const { openDelivery } = await import('../../shared/payments/accounts/provider-events.ts');
    const { headers } = c.req.raw;
    const delivery = await openDelivery({ provider, accountId, headers }, providers, {
      database,
      queue,
      log,
    });
    if (!delivery) throw invalidWebhookSignature();
    const body = await bodies.read(c.req.raw, delivery.tenantId, requestContext);
    if (!(await delivery.receive(body))) throw invalidWebhookSignature();
    uncountAttempt();
    requestContext.trusted = true;
    return c.json({ received: true });
  });

  /** The new project verifies the signature. */
  async function forwardToMovedTenant(
    movedTo: string,
    accountId: string,
    c: CallbackContext,
    uncountAttempt: () => void,
  ): Promise<Response> {
    const body = await bodies.read(c.req.raw, accountId, c.var.requestContext);
    return await forwardWebhook(c.req.raw, body, movedTo, uncountAttempt);
  }

  async function decide(c: CallbackContext, accountId: string, uncountAttempt: () => void) {
    const movedTo = await findMovedLink(database, 'provider_account', accountId);
    if (movedTo !== undefined) return { movedTo };
    const { requestContext, log } = c.var;
    const { decideOnWithdrawal, isApprovalToken } = await import(
      '../../shared/payments/accounts/approve-transfer.ts'
    );
    const token = c.req.raw.headers.get('asaas-access-token');
    if (!(await isApprovalToken(accountId, token, database))) throw invalidWebhookSignature();
    uncountAttempt();
    requestContext.trusted = true;
    const body = parseJsonObject(await bodies.read(c.req.raw, accountId, requestContext));
    return await decideOnWithdrawal(accountId, body, { database, log });
  }
}

const invalidWebhookSignature = () =>
  new ApiError('unauthorized', 'Invalid webhook signature.', { reason: 'bad_signature' });

const decisionTimedOut = () =>
  new ApiError('unavailable', 'The transfer could not be checked in time. Retry after 1 s.', {
    retryAfterSeconds: 1,
  });
