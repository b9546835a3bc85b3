/** The console: pages that read and change one workspace through the APIs only. */
import { type Context, Hono } from 'hono';
import { setCookie } from 'hono/cookie';
import { HTTPException } from 'hono/http-exception';
import type { Child } from 'hono/jsx';
import { stream } from 'hono/streaming';
import { functionsUrl } from '../typescript/src/core/options.ts';
import { KEY, opens } from './api/access.ts';
import { Deployment, type DeploymentOptions } from './api/deployment.ts';
import { EventHistory } from './api/events.ts';
import { PageApi } from './api/page-api.ts';
import { RequestHistory } from './api/request-history.ts';
import { type Workspace, WorkspaceCache } from './api/workspace.ts';
import { restrictPage } from './guard.ts';
import { LANGUAGE_COOKIE, t } from './kit/language.ts';
import { isOpen, Layout } from './kit/layout.tsx';
import { type ActContext, runAct, showAct } from './pages/acts.tsx';
import { detailPage } from './pages/detail.tsx';
import { eventsCsv } from './pages/events.tsx';
import { failureOf } from './pages/failure.tsx';
import { LEDGER_FILE, ledgerFile } from './pages/ledger.tsx';
import { csvOf, listPage, MAX_CSV_CALLS } from './pages/list.tsx';
import { refusedPage } from './pages/refused.tsx';
import { navigation, pages, resources } from './pages.ts';
import { sendMessage, sendPage } from './render.tsx';
import { filled, type Resource } from './resources/resource.ts';
import { requireCsrf } from './session/session.ts';
import type { Frame, NavigationSection, Page, PageContent, View } from './view.ts';

/** The deployment that a request is about. */
export interface Connected {
  deployment: Deployment;
  cache: WorkspaceCache;
  events: EventHistory;
  requests: RequestHistory;
}

/** The parts that all requests to a deployment share. */
export const connectTo = (options: DeploymentOptions): Connected => {
  const deployment = new Deployment(options);
  return {
    deployment,
    cache: new WorkspaceCache(deployment),
    events: new EventHistory(deployment),
    requests: new RequestHistory(),
  };
};

export interface ConsoleAppOptions {
  /** Selects the deployment, or its workspace, for a request. */
  connect(c: Context): Promise<Connected>;
  /** Token that every form of this browser must carry. */
  csrf(c: Context): string;
  navigation: readonly NavigationSection[];
  /** Further pages, or other ones at the same paths. */
  more?: { pages: Readonly<Record<string, Page>>; resources: readonly Resource[] };
  /** Where browsers find the console, by default the address of the request. */
  origin?: string;
  /** Leaves out pages that the credentials do not open, instead of showing them with a lock. */
  hidesClosedPages?: boolean;
  /** Content at the bottom of the navigation. */
  foot(c: Context, connected: Connected, workspace: Workspace): Promise<Child> | Child;
  /** Called when the deployment rejects the credentials. May respond instead of the page. */
  onUnauthorized?(c: Context): Promise<Response | undefined> | undefined;
  /** Responds to errors that are not those of a page. */
  onOtherError?(error: unknown, c: Context): Promise<Response | undefined>;
  /** Shown below the content of a page, by path. */
  extras?: Readonly<Record<string, (c: Context) => Promise<Child>>>;
  /** Shown before the actions of a page, by path. */
  actions?: Readonly<Record<string, (c: Context) => Promise<Child>>>;
}

/** Each refresh costs up to six requests of the plan's minute. */
const POLL_MS = 15_000;

interface Notice {
  text: string;
  lang?: string | undefined;
}

/** Only paths of the console: `//` would redirect to another host. */
export const ownPath = (path: unknown): string =>
  typeof path === 'string' && /^(\/[\w.%-]+)+$/.test(path) ? path : '/';

/** Also for the app that this one is mounted in, whose handler counts. */
export const unknownPage = (c: Context) =>
  sendMessage(c, 404, { title: t('Not found'), text: t('This page does not exist.') });

export function createConsoleApp(options: ConsoleAppOptions): Hono {
  const app = new Hono();
  /** Shown once after a redirect, by random key. */
  const notices = new Map<string, Notice>();
  const allPages = { ...pages, ...options.more?.pages };
  app.use(restrictPage(), requireCsrf(options.csrf));

  const viewOf = async (c: Context, calls?: number): Promise<View> => {
    const connected = await options.connect(c);
    const { deployment, cache } = connected;
    const api = new PageApi(deployment, calls);
    const workspace = await cache.workspace(api);
    c.set('timeZone', workspace.timeZone);
    // Known after the first token.
    const scopes = deployment.scopes;
    const can = (scope: string) => opens(scopes, scope);
    const frame: Frame = {
      navigation: options.hidesClosedPages ? openSections(options.navigation, can) : options.navigation,
      foot: await options.foot(c, connected, workspace),
      can,
    };
    const query = (name: string) => (c.req.query(name) ?? '').trim();
    const notice = notices.get(query('done'));
    notices.delete(query('done'));
    return {
      path: c.req.path,
      frame,
      notice,
      zone: workspace.timeZone,
      pollMs: POLL_MS,
      now: new Date(),
      api,
      workspace,
      events: connected.events,
      requests: connected.requests,
      origin: options.origin ?? new URL(c.req.url).origin,
      functionsUrl: functionsUrl(deployment.url),
      directory: (...kinds) => cache.directory(api, kinds),
      csrf: options.csrf(c),
      can,
      scopes,
      isPerson: deployment.isPerson,
      clientId: deployment.clientId,
      param: (name) => c.req.param(name) ?? '',
      query,
    };
  };

  const send = (c: Context, view: View, content: PageContent | undefined, status = 200) => {
    c.header('Cache-Control', 'no-store');
    if (content === undefined)
      return sendMessage(c, 404, {
        title: t('Not found'),
        text: t('This record does not exist in this workspace.'),
      });
    return sendPage(c, <Layout view={view} content={content} />, status as 200);
  };

  /** Whether the scopes open a page is decided by those of the token, which are old if the access of the person has changed. */
  const openedBy = async (c: Context, isOpened: (view: View) => boolean, calls?: number): Promise<View> => {
    const view = await viewOf(c, calls);
    if (!view.isPerson || isOpened(view)) return view;
    (await options.connect(c)).cache.forget();
    return await viewOf(c, calls);
  };

  const show = (path: string, scopes: readonly string[] | undefined, page: Page) =>
    app.get(path, async (c) => {
      const isOpened = ({ frame }: View) => isOpen(frame, { ...(scopes && { scopes }) });
      const view = await openedBy(c, isOpened);
      if (!isOpened(view)) return send(c, view, refusedPage(view, scopes ?? []), 403);
      const content = await page(view);
      if (!content) return send(c, view, content);
      const extra = await options.extras?.[path]?.(c);
      const action = await options.actions?.[path]?.(c);
      return send(c, view, {
        ...content,
        ...(extra && { body: <>{[content.body, extra]}</> }),
        ...(action && { actions: <>{[action, content.actions]}</> }),
      });
    });

  const act = (path: string, context: ActContext) => {
    const scopes = scopesOfAct(context);
    show(path, scopes, (view) => showAct(concreteAct(context, view), view));
    app.post(path, async (c) => {
      const view = await openedBy(c, ({ can }) => scopes.some(can));
      if (!scopes.some(view.can)) return send(c, view, refusedPage(view, scopes), 403);
      const connected = await options.connect(c);
      const result = await runAct(
        concreteAct(context, view),
        view,
        await c.req.formData(),
        connected.deployment.url,
      );
      if (result.kind === 'page') {
        const response = result.status === 401 && (await options.onUnauthorized?.(c));
        if (response) return response;
        if (result.status < 300) connected.cache.forget();
        return send(c, view, result.content, result.status);
      }
      if (result.kind === 'file')
        return c.body(result.body, 200, {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Disposition': `attachment; filename="${result.name}"`,
          'Cache-Control': 'no-store',
        });
      connected.cache.forget();
      const key = crypto.randomUUID();
      notices.set(key, { text: result.text, lang: result.english ? 'en' : undefined });
      return c.redirect(`${result.to}${result.to.includes('?') ? '&' : '?'}done=${key}`, 303);
    });
  };

  const serve = (resource: Resource) => {
    const { path } = resource;
    const scopes = [resource.scope, ...(resource.otherwise ? [resource.otherwise.scope] : [])];
    for (const one of resource.acts ?? [])
      act(`${path}/${one.name}`, { resource, act: one, ofRecord: false });
    const page = allPages[path];
    app.get(path, async (c, next) => {
      if (c.req.query('format') !== 'csv') return await next();
      const view = await openedBy(c, ({ can }) => scopes.some(can), MAX_CSV_CALLS);
      if (!scopes.some(view.can)) return send(c, view, refusedPage(view, scopes), 403);
      for (const [name, value] of Object.entries(csvHeaders(path))) c.header(name, value);
      const lines = csvOf(concrete(resource, view), view, view.api);
      // Read the first rows before the response begins, so that an error shows a page instead of a broken file.
      const head = await lines.next();
      const first = await lines.next();
      return stream(c, async (out) => {
        for (const one of [head, first]) if (!one.done) await out.write(one.value);
        for await (const line of lines) await out.write(line);
      });
    });
    show(path, scopes, page ?? ((view) => listPage(concrete(resource, view), view)));
    if (resource.flat) return;
    show(
      `${path}/:id`,
      scopes,
      allPages[`${path}/:id`] ?? ((view) => detailPage(concrete(resource, view), view)),
    );
    const acts = [...(resource.recordActs ?? []), ...(resource.otherwise?.recordActs ?? [])];
    for (const one of new Map(acts.toReversed().map((one) => [one.name, one])).values())
      act(`${path}/:id/${one.name}`, { resource, act: one, ofRecord: true });
  };

  app.get('/events', async (c, next) => {
    if (c.req.query('format') !== 'csv') return await next();
    const view = await viewOf(c);
    const scopes = scopesOf('/events', options.navigation) ?? [];
    if (!scopes.some(view.can)) return send(c, view, refusedPage(view, scopes), 403);
    return c.body(await eventsCsv(view), 200, csvHeaders('/events'));
  });
  app.get(LEDGER_FILE, async (c) => {
    const view = await openedBy(c, ({ can }) => can(KEY));
    if (!view.isPerson || !view.can(KEY)) return send(c, view, refusedPage(view, [KEY]), 403);
    const { deployment } = await options.connect(c);
    const { body, headers } = await deployment.file(ledgerFile(view));
    for (const name of ['Content-Type', 'Content-Disposition'])
      c.header(name, headers.get(name) ?? undefined);
    c.header('Cache-Control', 'no-store');
    return c.newResponse(body, 200);
  });
  const allResources = [...(options.more?.resources ?? []), ...resources];
  const own = new Set(allResources.flatMap(({ path }) => [path, `${path}/:id`]));
  for (const resource of allResources) serve(resource);
  for (const [path, page] of Object.entries(allPages))
    if (!own.has(path)) show(path, scopesOf(path, options.navigation), page);

  // Such as `/payments`: the address without its last part.
  for (const { path, tabs = [] } of options.navigation) {
    const parent = `/${path.split('/')[1]}`;
    if (parent === path || own.has(parent)) continue;
    app.get(parent, async (c) => {
      const { frame } = await viewOf(c);
      return c.redirect(tabs.find((tab) => isOpen(frame, tab))?.path ?? path);
    });
  }

  app.post('/console/language', chooseLanguage);

  app.onError(async (error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    const response = await options.onOtherError?.(error, c);
    if (response) return response;
    const failure = failureOf(error, await urlOf(options, c));
    c.header('Cache-Control', 'no-store');
    if (!failure) {
      console.error(error);
      return sendMessage(c, 500, {
        title: t('This page failed to load'),
        text: t('See the terminal for the reason.'),
      });
    }
    const answer = failure.status === 401 && (await options.onUnauthorized?.(c));
    if (answer) return answer;
    if (failure.retryAfter !== undefined) c.header('Retry-After', String(failure.retryAfter));
    return sendMessage(c, failure.status, failure);
  });
  app.notFound(unknownPage);
  return app;
}

/** Sections with the pages that the scopes open. */
const openSections = (
  sections: readonly NavigationSection[],
  can: (scope: string) => boolean,
): NavigationSection[] =>
  sections.flatMap((section) => {
    const isOpened = ({ scopes }: Pick<NavigationSection, 'scopes'>) => scopes?.some(can) ?? true;
    const tabs = section.tabs?.filter(isOpened);
    if (!tabs) return isOpened(section) ? [section] : [];
    const [first] = tabs;
    return first ? [{ ...section, path: first.path, tabs }] : [];
  });

/** Remembers the language of the pages. */
export async function chooseLanguage(c: Context): Promise<Response> {
  const form = await c.req.formData();
  const chosen = form.get('language');
  if (chosen === 'en' || chosen === 'pt-BR')
    setCookie(c, LANGUAGE_COOKIE, chosen, { path: '/', httpOnly: true, sameSite: 'Strict' });
  return c.redirect(ownPath(form.get('path')), 303);
}

const csvHeaders = (path: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename="${path.slice(1).replaceAll('/', '-')}.csv"`,
  'Cache-Control': 'no-store',
});

/** Scopes of a page without a resource, from its entry in the navigation. */
function scopesOf(path: string, sections: readonly NavigationSection[]): readonly string[] | undefined {
  const entries = [...sections, ...navigation].flatMap((section) => [section, ...(section.tabs ?? [])]);
  return entries.find((entry) => entry.path === path || entry.path === path.replace(/\/:id$/, ''))?.scopes;
}

/** The resource by the credentials, below the record that the page's path names. */
function concrete(resource: Resource, { can, param }: View): Resource {
  const { otherwise } = resource;
  const chosen = otherwise && !can(resource.scope) ? otherwise : resource;
  return { ...chosen, path: filled(chosen.path, param), api: filled(chosen.api, param) };
}

/** Scopes that permit an action, for both kinds of credentials. */
function scopesOfAct({ resource: { otherwise }, act, ofRecord }: ActContext): string[] {
  const others = (ofRecord ? otherwise?.recordActs : otherwise?.acts) ?? [];
  return [act.scope, ...others.filter(({ name }) => name === act.name).map(({ scope }) => scope)];
}

function concreteAct(context: ActContext, view: View): ActContext {
  const resource = concrete(context.resource, view);
  const acts = (context.ofRecord ? resource.recordActs : resource.acts) ?? [];
  return { ...context, resource, act: acts.find(({ name }) => name === context.act.name) ?? context.act };
}

const urlOf = async ({ connect }: ConsoleAppOptions, c: Context): Promise<string> =>
  connect(c).then(
    ({ deployment }) => deployment.url,
    () => '',
  );
