/**
 * The console of the local stack: the console of any deployment plus pages about the stack itself. Those read the database as its owner,
 * so the console is served only on loopback and accepts forms only from its own pages.
 */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { contextStorage } from 'hono/context-storage';
import { getCookie } from 'hono/cookie';
import { HTTPException } from 'hono/http-exception';
import { opens } from '../../clients/console/api/access.ts';
import { createConsoleApp, unknownPage } from '../../clients/console/app.tsx';
import { assetRoutes } from '../../clients/console/assets.ts';
import { ownFormsOnly, restrictPage } from '../../clients/console/guard.ts';
import { detectLanguage, t } from '../../clients/console/kit/language.ts';
import { Layout } from '../../clients/console/kit/layout.tsx';
import { navigation as shared } from '../../clients/console/pages.ts';
import { sendMessage, sendPage } from '../../clients/console/render.tsx';
import type { NavigationSection } from '../../clients/console/view.ts';
import { createActions } from './actions.ts';
import { createConnections } from './connections.ts';
import { delivery, inbox } from './events/delivery.tsx';
import { deliveries, event } from './events/page.tsx';
import { createFiles } from './files.ts';
import { Foot } from './foot.tsx';
import { job, jobs } from './jobs/page.tsx';
import { mail } from './mail/page.tsx';
import { FirstSteps, Parts } from './overview/start.tsx';
import { createPayerRoutes } from './payer/routes.tsx';
import { payerPageOf } from './payments/queries.ts';
import { ReferencePage } from './reference/page.tsx';
import { ActionRefused } from './refusal.ts';
import { request, requests } from './requests/page.tsx';
import { readTenants, TENANT_COOKIE } from './tenants.ts';
import type { ConsoleOptions, Page, View } from './view.ts';

/** The pages that only the local stack has, by path. The first match wins. */
const pages: Readonly<Record<string, Page>> = {
  '/requests/unknown': requests,
  '/requests/unknown/:id': request,
  '/events/deliveries': deliveries,
  '/events/deliveries/:id': delivery,
  '/events/inbox': inbox,
  '/events/:id': event,
  '/jobs': jobs,
  '/jobs/:id': job,
  '/mailbox': mail,
};

const navigation: readonly NavigationSection[] = shared.flatMap((section): NavigationSection[] => {
  if (section.path === '/requests')
    return [
      {
        ...section,
        tabs: [
          { path: '/requests', name: 'Requests' },
          { path: '/requests/unknown', name: 'Unknown callers' },
        ],
      },
    ];
  if (section.path === '/events')
    return [
      {
        ...section,
        tabs: [
          { path: '/events', name: 'Events' },
          { path: '/events/deliveries', name: 'Deliveries' },
          { path: '/events/inbox', name: 'Inbox' },
        ],
      },
      { path: '/jobs', name: 'Jobs', icon: 'jobs' },
      { path: '/mailbox', name: 'Emails', icon: 'mail' },
    ];
  return [section];
});

export function createConsole(options: ConsoleOptions): Hono {
  const { url, credentials } = options;
  const connectTenant = createConnections(options);
  const csrf = randomBytes(24).toString('base64url');
  const restricted = restrictPage();
  const app = new Hono();
  app.use(contextStorage(), detectLanguage());
  app.route('/', assetRoutes());

  const tenantsOf = (c: Context) =>
    readTenants(options.sql, options.credentials.tenant_id, getCookie(c, TENANT_COOKIE));
  const foot = async (c: Context) => (
    <Foot url={url} path={c.req.path} csrf={csrf} {...(await tenantsOf(c))} />
  );

  /** Whether nothing has happened in the workspace. */
  const isNew = async (tenantId: string): Promise<boolean> => {
    const [row] = await options.sql`
      select not exists (select from public.events where tenant_id = ${tenantId}) as is_new`;
    return row?.is_new === true;
  };

  for (const [path, page] of Object.entries(pages)) {
    app.get(path, restricted, async (c) => {
      const { tenant } = await tenantsOf(c);
      const { deployment } = await connectTenant(tenant.id);
      const view: View = {
        ...options,
        tenant,
        path: c.req.path,
        csrf,
        frame: { navigation, foot: await foot(c), can: (scope) => opens(deployment.scopes, scope) },
        notice: noticeOf(c.req.query('notice')),
        now: new Date(),
        param: (name) => c.req.param(name) ?? '',
        page: Math.min(Math.max(Math.trunc(Number(c.req.query('page'))) || 1, 1), MAX_PAGE),
        query: (name) => (c.req.query(name) ?? '').trim(),
      };
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

  for (const path of ['/pay/*', '/events/deliveries/:id/replay', '/jobs/:id/retry', '/console/*'])
    app.use(path, restricted, ownFormsOnly);
  app.route('/pay', createPayerRoutes(options));
  app.route('/', createActions(options));
  app.route('/', createFiles(url));
  app.use(ownFormsOnly);
  app.route(
    '/',
    createConsoleApp({
      connect: async (c) => connectTenant((await tenantsOf(c)).tenant.id),
      csrf: () => csrf,
      navigation,
      foot,
      actions: {
        '/payments/invoices/:id': async (c) => {
          const { tenant } = await tenantsOf(c);
          const path = await payerPageOf(options.sql, tenant.id, c.req.param('id') ?? '');
          return (
            path && (
              <a class="button primary" href={path}>
                {t('Open payer page')}
              </a>
            )
          );
        },
      },
      extras: {
        '/': async (c) => (
          <>
            <details class="fold" open={await isNew((await tenantsOf(c)).tenant.id)}>
              <summary>{t('First steps')}</summary>
              <FirstSteps dir={options.dir} />
            </details>
            <Parts url={url} />
          </>
        ),
      },
    }),
  );

  // Programs get the answer of the gateway.
  app.get('*', restricted, async (c, next) =>
    c.req.header('accept')?.includes('text/html') ? unknownPage(c) : await next(),
  );

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

/** Messages after a redirect from an action. */
function noticeOf(name: string | undefined) {
  if (name === 'replayed') return { text: t('The delivery is being resent.') };
  return name === 'retried' ? { text: t('The job is being retried.') } : undefined;
}
