// POST /providers/<provider>/<account id>: a provider's webhook for one account. It is stored unchanged; a job applies it.
// POST /providers/asaas/<account id>/approvals: Asaas asks whether Placar ordered a transfer.
import type { Context } from 'hono';
import type { Providers } from '../../shared/payments/providers/provider.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { BODY_DEADLINES, parseJsonObject, readBody } from '../../shared/platform/request/body.ts';
import type { RequestVariables } from '../../shared/platform/request/request-context.ts';
import { orTimeout } from '../../shared/platform/waits.ts';
import type { Dependencies } from './verified-body.ts';

/** Large enough for Stripe's events, which contain the whole object. */
const BODY_LIMITS = { maxBytes: 512 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };
const PATH = '/callbacks/providers/:provider/:account';
const APPROVALS_PATH = '/callbacks/providers/asaas/:account/approvals';
/** Format of account ids. Other ids are rejected without a query. */
const ACCOUNT_ID = /^pacc_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Asaas cancels a transfer if it gets no response in time. */
const APPROVAL_TIMEOUT_MS = 900;

export function addProviders(app: App, { database, queue }: Dependencies, providers: Providers): void {
  app.post(APPROVALS_PATH, async (c) => {
    return c.json(await orTimeout(decide(c), APPROVAL_TIMEOUT_MS, decisionTimedOut));
  });
  refuseOtherMethods(app, APPROVALS_PATH, ['POST']);

  app.post(PATH, async (c) => {
    const { provider, account: accountId } = c.req.param();
    if (!ACCOUNT_ID.test(accountId)) throw invalidWebhookSignature();
    const { receiveDelivery } = await import('../../shared/payments/accounts/provider-events.ts');
    const body = await readBody(c.req.raw, BODY_LIMITS);
    const delivery = { provider, accountId, headers: c.req.raw.headers, body };
    const received = await receiveDelivery(delivery, providers, { database, queue, log: c.get('log') });
    if (!received) throw invalidWebhookSignature();
    c.get('requestContext').trusted = true;
    return c.json({ received: true });
  });
  refuseOtherMethods(app, PATH, ['POST']);

  async function decide(c: Context<{ Variables: RequestVariables }>) {
    const { decideOnTransfer, isApprovalToken } = await import(
      '../../shared/payments/accounts/approve-transfer.ts'
    );
    const accountId = c.req.param('account') ?? '';
    const token = c.req.raw.headers.get('asaas-access-token');
    if (!ACCOUNT_ID.test(accountId) || !(await isApprovalToken(accountId, token, database)))
      throw invalidWebhookSignature();
    const body = parseJsonObject(await readBody(c.req.raw, BODY_LIMITS));
    c.get('requestContext').trusted = true;
    return await decideOnTransfer(accountId, body, { database, log: c.get('log') });
  }
}

const invalidWebhookSignature = () =>
  new ApiError('unauthorized', 'Invalid webhook signature.', { reason: 'bad_signature' });

const decisionTimedOut = () =>
  new ApiError('unavailable', 'The transfer could not be checked in time. Retry after 1 s.', {
    retryAfterSeconds: 1,
  });
