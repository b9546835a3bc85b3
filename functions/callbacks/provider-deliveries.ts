// POST /providers/<provider>/<account id>: what a provider tells of an account; kept as it came and answered, applied by a job.
// POST /providers/asaas/<account id>/approvals: Asaas asks whether a transfer is ours.
import type { Context } from 'hono';
import type { Providers } from '../../shared/payments/providers/provider.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { BODY_DEADLINES, parseJsonObject, readBody } from '../../shared/platform/request/body.ts';
import type { RequestVariables } from '../../shared/platform/request/request-context.ts';
import { orTimeout } from '../../shared/platform/waits.ts';
import type { Dependencies } from './verified-body.ts';

/** Stripe's events have their whole object. */
const BODY_LIMITS = { maxBytes: 512 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };
const PATH = '/callbacks/providers/:provider/:account';
const APPROVALS_PATH = '/callbacks/providers/asaas/:account/approvals';
/** Ids of accounts have this form; nothing else is looked for. */
const ACCOUNT_ID = /^pacc_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Asaas cancels a transfer that is not answered for. */
const APPROVAL_TIMEOUT_MS = 900;

export function addProviders(app: App, { database, queue }: Dependencies, providers: Providers): void {
  app.post(APPROVALS_PATH, async (c) => {
    return c.json(await orTimeout(decide(c), APPROVAL_TIMEOUT_MS, tooSlow));
  });
  refuseOtherMethods(app, APPROVALS_PATH, ['POST']);

  app.post(PATH, async (c) => {
    const { provider, account: accountId } = c.req.param();
    if (!ACCOUNT_ID.test(accountId)) throw notTheProvider();
    const { receiveDelivery } = await import('../../shared/payments/accounts/provider-events.ts');
    const body = await readBody(c.req.raw, BODY_LIMITS);
    const delivery = { provider, accountId, headers: c.req.raw.headers, body };
    const received = await receiveDelivery(delivery, providers, { database, queue, log: c.get('log') });
    if (!received) throw notTheProvider();
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
      throw notTheProvider();
    const body = parseJsonObject(await readBody(c.req.raw, BODY_LIMITS));
    c.get('requestContext').trusted = true;
    return await decideOnTransfer(accountId, body, { database, log: c.get('log') });
  }
}

const notTheProvider = () =>
  new ApiError('unauthorized', 'This is nothing that the provider sent.', { reason: 'bad_signature' });

const tooSlow = () =>
  new ApiError('unavailable', 'The order could not be looked at in time. Ask again.', {
    retryAfterSeconds: 1,
  });
