// POST /crm/<crm>/<account id>: a CRM's webhook for one account. It is stored unchanged; a job reads the records that it names.
// GET /crm/<crm>/<account id>/authorize and /authorized: a person agrees in the CRM that Placar reads and writes its data.
import type { CrmsEnv } from '../../shared/connectors/sync/account.ts';
import { createUnknownCallerLimit } from '../../shared/platform/access/unknown-caller-limit.ts';
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
    unknownLinkLimit.attempt(c.var.requestContext.address);
    const state = (c.req.query('state') ?? '').slice(0, MAX_PARAMETER_LENGTH);
    const redirectUri = `${functionsUrl}/callbacks/crm/${crm}/${account}/authorized`;
    // No account has an empty id.
    return { crm, accountId: ACCOUNT_ID.test(account) ? account : '', redirectUri, state };
  };

  addRoute(app, 'get', `${PATH}/authorize`, async (c) => {
    const { authorizationPage } = await import('../../shared/connectors/webhooks/authorize.ts');
    const page = await authorizationPage(authorization(c), env, { database, queue, log: c.var.log });
    return page === undefined ? c.text(UNKNOWN_LINK, 404) : c.redirect(page);
  });

  addRoute(app, 'get', `${PATH}/authorized`, async (c) => {
    const { completeAuthorization } = await import('../../shared/connectors/webhooks/authorize.ts');
    if (c.req.query('error')) return c.text(DECLINED, 404);
    const code = (c.req.query('code') ?? '').slice(0, MAX_PARAMETER_LENGTH);
    const isDone = await completeAuthorization({ ...authorization(c), code }, env, {
      database,
      queue,
      log: c.var.log,
    });
    return isDone ? c.text(AGREED) : c.text(UNKNOWN_LINK, 404);
  });

  // After the paths above, which are no secrets.
  addRoute(app, 'post', PATH, (c) => receive(c, c.req.param('crm'), c.req.param('account')));
  addRoute(app, 'post', `${PATH}/:secret`, (c) =>
    receive(c, c.req.param('crm'), c.req.param('account'), c.req.param('secret')),
  );
}

// A person reads these in a browser: as text, because hosted functions cannot answer with HTML.
const AGREED = `Connected. Go back to Placar: records are read when you preview or import. You can close this page.
Conectado. Volte ao Placar: os registros são lidos na prévia ou na importação. Você pode fechar esta página.
`;
const DECLINED = `The request was declined in the CRM, so nothing is connected. To try again, create another link in Placar, with Authorize.
O pedido foi recusado no CRM, então nada foi conectado. Para tentar de novo, crie outro link no Placar, com Autorizar.
`;
const UNKNOWN_LINK = `The link is unknown, was used before, or is older than ten minutes. Create another one in Placar, with Authorize.
O link não existe, já foi usado ou tem mais de dez minutos. Crie outro no Placar, com Autorizar.
`;
