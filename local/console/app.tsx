/**
 * The console of the local stack: shows requests and their effects to the developer at this machine. It reads the database
 * as its owner, so it is served only on loopback and only to its own pages.
 */
import { type Context, Hono } from 'hono';
import { contextStorage } from 'hono/context-storage';
import { getCookie } from 'hono/cookie';
import { HTTPException } from 'hono/http-exception';
import { createActions } from './actions.ts';
import { delivery, inbox } from './events/delivery.tsx';
import { deliveries, event, events, webhooks } from './events/page.tsx';
import { createFiles } from './files.ts';
import { ownFormsOnly, restrictPage } from './guard.ts';
import { job, jobs } from './jobs/page.tsx';
import { detectLanguage, t } from '../../clients/console/kit/language.ts';
import { Layout } from '../../clients/console/kit/layout.tsx';
import { mail } from './mail/page.tsx';
import { overview } from './overview/page.tsx';
import { createPayerRoutes } from './payer/routes.tsx';
import { invoice } from './payments/invoice.tsx';
import { invoices, ledger, payouts } from './payments/page.tsx';
import { payout } from './payments/payout.tsx';
import { deals, leads, pipeline } from './records/page.tsx';
import { ReferencePage } from './reference/page.tsx';
import { ActionRefused } from './refusal.ts';
import { sendMessage, sendPage } from './render.tsx';
import { request, requests } from './requests/page.tsx';
import { standings } from './standings/page.tsx';
import { readTenants, TENANT_COOKIE } from './tenants.ts';
import type { ConsoleOptions, Page, View } from './view.ts';

/** The pages by path. The first match wins. */
const pages: Readonly<Record<string, Page>> = {
  '/': overview,
  '/requests': requests,
  '/requests/:id': request,
  '/events': events,
  '/events/deliveries': deliveries,
  '/events/deliveries/:id': delivery,
  '/events/webhooks': webhooks,
  '/events/inbox': inbox,
  '/events/:id': event,
  '/jobs': jobs,
  '/jobs/:id': job,
  '/mailbox': mail,
  '/standings': standings,
  '/records': pipeline,
  '/records/deals': deals,
  '/records/leads': leads,
  '/payments': invoices,
  '/payments/payouts': payouts,
  '/payments/ledger': ledger,
  '/payments/invoices/:id': invoice,
  '/payments/payouts/:id': payout,
};

export function createConsole(options: ConsoleOptions): Hono {
  const { url, credentials } = options;
  const restricted = restrictPage();
  const app = new Hono();
  app.use(contextStorage(), detectLanguage);

  for (const [path, page] of Object.entries(pages)) {
    app.get(path, restricted, async (c) => {
      const view = await viewOf(c, options);
      const content = await page(view);
      if (!content)
        return sendMessage(c, 404, {
          title: t('Not found'),
          text: t('{tenant} has no such record.', { tenant: view.tenant.name }),
        });
      return sendPage(c, <Layout view={view} content={content} />);
    });
  }
  app.get('/reference', restrictPage({ inlineStyles: true }), (c) =>
    sendPage(c, <ReferencePage url={url} credentials={credentials} />),
  );

  for (const path of [
    '/pay/*',
    '/events/deliveries/:id/replay',
    '/jobs/:id/retry',
    '/console/tenant',
    '/console/language',
  ])
    app.use(path, restricted, ownFormsOnly);
  app.route('/pay', createPayerRoutes(options));
  app.route('/', createActions(options));
  app.route('/', createFiles(url));

  app.onError((error, c) => {
    if (error instanceof ActionRefused)
      return sendMessage(c, 409, { title: t('Action not possible'), text: error.message });
    if (error instanceof HTTPException) return error.getResponse();
    console.error(error);
    return sendMessage(c, 500, { title: t('This page failed to load'), text: error.message });
  });
  return app;
}

/** Later pages are found faster with a filter. */
const MAX_PAGE = 1000;

async function viewOf(c: Context, options: ConsoleOptions): Promise<View> {
  const chosen = getCookie(c, TENANT_COOKIE);
  const { tenant, tenants } = await readTenants(options.sql, options.credentials.tenant_id, chosen);
  return {
    ...options,
    tenant,
    tenants,
    path: c.req.path,
    now: new Date(),
    param: (name) => c.req.param(name) ?? '',
    page: Math.min(Math.max(Math.trunc(Number(c.req.query('page'))) || 1, 1), MAX_PAGE),
    query: (name) => (c.req.query(name) ?? '').trim(),
  };
}
