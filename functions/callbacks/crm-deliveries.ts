// POST /crm/<crm>/<account id>: a CRM's webhook for one account. It is stored unchanged; a job reads the records that it names.
// GET /crm/<crm>/<account id>/authorize and /authorized: a person agrees in the CRM that Placar reads and writes its data.
import type { Context } from 'hono';
import type { CrmsEnv } from '../../shared/connectors/sync/account.ts';
import { findMovedLink } from '../../shared/platform/access/tenant-moves.ts';
import { createUnknownCallerLimit, lookUpCaller } from '../../shared/platform/access/unknown-caller-limit.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import { createBodiesInFlight } from '../../shared/platform/request/bodies-in-flight.ts';
import { BODY_DEADLINES } from '../../shared/platform/request/body.ts';
import type { RequestVariables } from '../../shared/platform/request/request-context.ts';
import type { Dependencies } from './app.ts';
import { forwardWebhook } from './forward-webhook.ts';

/** HubSpot sends up to a hundred events in a body, and Pipedrive whole records. */
const BODY_LIMITS = { maxBytes: 1024 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };
const MAX_BYTES_IN_FLIGHT = { tenant: 4 * 1024 * 1024, worker: 16 * 1024 * 1024 };
const PATH = '/callbacks/crm/:crm/:account';
/** Format of account ids. Other ids are rejected without a query. */
const ACCOUNT_ID = /^crm_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const MAX_PARAMETER_LENGTH = 2000;

type CallbackContext = Context<{ Variables: RequestVariables }>;

export function addCrms(app: App, { database, queue, functionsUrl }: Dependencies, env: CrmsEnv): void {
  const unknownCallerLimit = createUnknownCallerLimit();
  const bodies = createBodiesInFlight(MAX_BYTES_IN_FLIGHT, BODY_LIMITS);

  async function receive(c: CallbackContext, crm: string, accountId: string, pathSecret?: string) {
    const { requestContext, log } = c.var;
    if (!ACCOUNT_ID.test(accountId)) throw unproved();
    const uncountAttempt = unknownCallerLimit.attempt(requestContext.address);
    const movedTo = await lookUpCaller(uncountAttempt, () =>
      findMovedLink(database, 'provider_account', accountId),
    );
    if (movedTo !== undefined) {
      const forwarded = await bodies.read(c.req.raw, accountId, requestContext);
      return await forwardWebhook(c.req.raw, forwarded, movedTo, uncountAttempt);
    }
    const { openCrmDelivery } = await import('../../shared/connectors/webhooks/receive.ts');
    const delivery = await openCrmDelivery(
      {
        crm,
        accountId,
        headers: c.req.raw.headers,
        pathSecret,
        url: `${functionsUrl}/callbacks/crm/${crm}/${accountId}`,
      },
      { database, queue, log },
    );
    if (!delivery) throw unproved();
    const body = await bodies.read(c.req.raw, delivery.tenantId, requestContext);
    if (!(await delivery.receive(body))) throw unproved();
    uncountAttempt();
    requestContext.trusted = true;
    return c.json({ received: true });
  }

  const authorization = (c: CallbackContext & { req: { param(): Record<string, string> } }) => {
    const { crm = '', account = '' } = c.req.param();
    if (!ACCOUNT_ID.test(account)) throw unknownLink();
    unknownCallerLimit.attempt(c.var.requestContext.address);
    const state = (c.req.query('state') ?? '').slice(0, MAX_PARAMETER_LENGTH);
    const redirectUri = `${functionsUrl}/callbacks/crm/${crm}/${account}/authorized`;
    return { crm, accountId: account, redirectUri, state };
  };

  addRoute(app, 'get', `${PATH}/authorize`, async (c) => {
    const { authorizationPage } = await import('../../shared/connectors/webhooks/authorize.ts');
    const page = await authorizationPage(authorization(c), env, { database, queue, log: c.var.log });
    if (page === undefined) throw unknownLink();
    return c.redirect(page);
  });

  addRoute(app, 'get', `${PATH}/authorized`, async (c) => {
    const { completeAuthorization } = await import('../../shared/connectors/webhooks/authorize.ts');
    const code = (c.req.query('code') ?? '').slice(0, MAX_PARAMETER_LENGTH);
    const isDone = await completeAuthorization({ ...authorization(c), code }, env, {
      database,
      queue,
      log: c.var.log,
    });
    if (!isDone) throw unknownLink();
    return c.text('Connected. Placar reads the CRM from now on. You can close this page.\n');
  });

  // After the paths above, which are no secrets.
  addRoute(app, 'post', PATH, (c) => receive(c, c.req.param('crm'), c.req.param('account')));
  addRoute(app, 'post', `${PATH}/:secret`, (c) =>
    receive(c, c.req.param('crm'), c.req.param('account'), c.req.param('secret')),
  );
}

const unproved = () =>
  new ApiError('unauthorized', 'Invalid webhook signature.', { reason: 'bad_signature' });

const unknownLink = () =>
  new ApiError(
    'not_found',
    'The link is unknown, was used before, or is older than ten minutes. Create another one.',
  );
