// POST /crm/<crm>/<account id>: a CRM's webhook for one account. It is stored unchanged; a job reads the records that it names.
// GET /crm/<crm>/<account id>/authorize and /authorized: a person agrees in the CRM that Placar reads and writes its data.
import type { CrmsEnv } from '../../shared/connectors/sync/account.ts';
import { createUnknownCallerLimit } from '../../shared/platform/access/unknown-caller-limit.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import type { Dependencies } from './app.ts';
import { type CallbackContext, createVendorWebhooks } from './vendor-webhooks.ts';

/** HubSpot sends up to a hundred events in a body, and Pipedrive whole records. */
const MAX_BYTES = 1024 * 1024;
const PATH = '/callbacks/crm/:crm/:account';
const ACCOUNT_ID = /^crm_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const MAX_PARAMETER_LENGTH = 2000;

export function addCrms(app: App, { database, queue, functionsUrl }: Dependencies, env: CrmsEnv): void {
  const webhooks = createVendorWebhooks(database, { accountId: ACCOUNT_ID, maxBytes: MAX_BYTES });
  const unknownLinkLimit = createUnknownCallerLimit();

  const receive = (c: CallbackContext, crm: string, accountId: string, pathSecret?: string) =>
    webhooks.receive(c, accountId, async () => {
      const { openCrmDelivery } = await import('../../shared/connectors/webhooks/receive.ts');
      const url = `${functionsUrl}/callbacks/crm/${crm}/${accountId}`;
      const { headers } = c.req.raw;
      return openCrmDelivery(
        { crm, accountId, headers, pathSecret, url },
        { database, queue, log: c.var.log },
      );
    });

  const authorization = (c: CallbackContext & { req: { param(): Record<string, string> } }) => {
    const { crm = '', account = '' } = c.req.param();
    if (!ACCOUNT_ID.test(account)) throw unknownLink();
    unknownLinkLimit.attempt(c.var.requestContext.address);
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

const unknownLink = () =>
  new ApiError(
    'not_found',
    'The link is unknown, was used before, or is older than ten minutes. Create another one.',
  );
