// POST /providers/<provider>/<account id>: a provider's webhook for one account. It is stored unchanged; a job applies it.
// POST /providers/asaas/<account id>/approvals: Asaas asks whether Placar ordered a transfer or a PIX refund.
import type { Providers } from '../../shared/payments/providers/provider.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import { parseJsonObject } from '../../shared/platform/request/body.ts';
import { orTimeout } from '../../shared/platform/waits.ts';
import type { Dependencies } from './app.ts';
import { type CallbackContext, createVendorWebhooks, unprovedWebhook } from './vendor-webhooks.ts';

/** Large enough for Stripe's events, which contain the whole object. */
const MAX_BYTES = 512 * 1024;
const PATH = '/callbacks/providers/:provider/:account';
const APPROVALS_PATH = '/callbacks/providers/asaas/:account/approvals';
const ACCOUNT_ID = /^pacc_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Asaas cancels a transfer if it gets no response in time. */
const APPROVAL_TIMEOUT_MS = 900;

export function addProviders(app: App, { database, queue }: Dependencies, providers: Providers): void {
  const webhooks = createVendorWebhooks(database, { accountId: ACCOUNT_ID, maxBytes: MAX_BYTES });

  addRoute(app, 'post', APPROVALS_PATH, async (c) => {
    const accountId = c.req.param('account');
    const uncountAttempt = webhooks.attempt(c, accountId);
    const result = await orTimeout(
      decide(c, accountId, uncountAttempt),
      APPROVAL_TIMEOUT_MS,
      decisionTimedOut,
    );
    return 'movedTo' in result
      ? await webhooks.forward(c, accountId, result.movedTo, uncountAttempt)
      : c.json(result);
  });

  addRoute(app, 'post', PATH, (c) => {
    const { provider, account: accountId } = c.req.param();
    return webhooks.receive(c, accountId, async () => {
      const { openDelivery } = await import('../../shared/payments/accounts/provider-events.ts');
      const { headers } = c.req.raw;
      return openDelivery({ provider, accountId, headers }, providers, {
        database,
        queue,
        log: c.var.log,
      });
    });
  });

  async function decide(c: CallbackContext, accountId: string, uncountAttempt: () => void) {
    const movedTo = await webhooks.movedTo(accountId);
    if (movedTo !== undefined) return { movedTo };
    const { decideOnWithdrawal, isApprovalToken } = await import(
      '../../shared/payments/accounts/approve-transfer.ts'
    );
    const token = c.req.raw.headers.get('asaas-access-token');
    if (!(await isApprovalToken(accountId, token, database))) throw unprovedWebhook();
    webhooks.trust(c, uncountAttempt);
    const body = parseJsonObject(await webhooks.readBody(c, accountId));
    return await decideOnWithdrawal(accountId, body, { database, log: c.var.log });
  }
}

const decisionTimedOut = () =>
  new ApiError('unavailable', 'The transfer could not be checked in time. Retry after 1 s.', {
    retryAfterSeconds: 1,
  });
