/** Serves the console of a deployment on the web: each person signs in with an account of Supabase Auth. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { contextStorage } from 'hono/context-storage';
import type { Language } from '../../../shared/platform/messages/translate.ts';
import { functionsUrl } from '../../typescript/src/core/options.ts';
import { errorOf } from '../../typescript/src/errors.ts';
import { chooseLanguage, createConsoleApp, unknownPage } from '../app.tsx';
import { assetRoutes } from '../assets.ts';
import { restrictPage } from '../guard.ts';
import { detectLanguage, t } from '../kit/language.ts';
import { listen } from '../listen.ts';
import { failureOf } from '../pages/failure.tsx';
import { personNavigation, personPages } from '../person-pages.ts';
import { sendPage } from '../render.tsx';
import { requireCsrf } from '../session/session.ts';
import { AttemptsByAddress } from './attempts-by-address.ts';
import { AuthApi, AuthRejected, AuthUnreachable } from './auth-api.ts';
import { boardRoutes } from './board.tsx';
import { BrowserCookies } from './browser-cookies.ts';
import { checkDeployment } from './check-deployment.ts';
import { createExchange } from './exchange.ts';
import { SignedInFoot } from './foot.tsx';
import { StoppedPage } from './pages.tsx';
import { People, SessionEnded } from './person-tokens.ts';
import { requirePublicUrl, withNext } from './public-url.ts';
import { signInRoutes } from './routes.tsx';
import { type Clock, createSessionKey, Sealer } from './sealed.ts';
import {
  answerRefusal,
  endSession,
  formsOf,
  keepSession,
  type SignInEnvironment,
  type SignInServices,
  sessionOf,
  stepPaths,
} from './session-context.ts';
import { sessionRoutes } from './session-routes.tsx';

export { readPublicUrl } from './public-url.ts';
export { readSessionKey } from './sealed.ts';

const MAX_FORM_BYTES = 1024 * 1024;
/** Emails that one address can ask for in a minute. */
const MAX_EMAILS = 30;

export interface SignInOptions {
  /** URL of the project or of its functions. */
  url: string;
  publishableKey: string;
  /** Port 0 selects a free one. */
  listen: { host: string; port: number };
  /** The address that browsers use, by default this machine with the port of `listen`. */
  publicUrl?: URL | undefined;
  language?: Language | undefined;
  /** 32 bytes that seal the cookies. By default those of this process, so that a restart signs everyone out. */
  sessionKey?: Uint8Array | undefined;
  /** The header in which a trusted proxy names the address of the browser. */
  addressHeader?: string | undefined;
  /** `placar-console/<version>`. */
  program: string;
  clock?: Clock;
}

export interface RunningSignIn {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Checks the deployment and starts to listen. Throws if the deployment or Auth does not respond, and `EADDRINUSE`. */
export async function serveSignIn(options: SignInOptions): Promise<RunningSignIn> {
  const { publishableKey, program } = options;
  const functions = functionsUrl(options.url);
  const projectUrl = functions.replace(/\/functions\/v1$/, '');
  const auth = new AuthApi({ projectUrl, publishableKey, program });
  await checkDeployment(auth, functions, projectUrl);

  let app = new Hono<SignInEnvironment>();
  const server = createServer(getRequestListener((request, env) => app.fetch(request, env)));
  const port = await listen(server, options.listen);
  const publicUrl = options.publicUrl ?? new URL(`http://127.0.0.1:${port}`);
  app = createSignInApp(options, createServices(options, auth, functions, publicUrl), functions);
  return {
    url: publicUrl.origin,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createServices(
  { program, clock = { now: Date.now }, sessionKey = createSessionKey(), addressHeader }: SignInOptions,
  auth: AuthApi,
  functions: string,
  publicUrl: URL,
): SignInServices {
  const exchange = createExchange(functions, program);
  return {
    auth,
    cookies: new BrowserCookies(publicUrl, new Sealer(sessionKey, clock), clock),
    people: new People({ auth, exchange, clock, url: functions, program }),
    wrongSignIns: new AttemptsByAddress(clock),
    emails: new AttemptsByAddress(clock, MAX_EMAILS),
    clock,
    publicUrl,
    addressOf: addressReader(addressHeader),
  };
}

function createSignInApp({ program, language }: SignInOptions, services: SignInServices, functions: string) {
  const { publicUrl, clock, addressOf } = services;
  const formTokenOf = (c: Context) => sessionOf(c)?.formToken ?? services.cookies.formToken(c);

  const app = new Hono<SignInEnvironment>();
  const isHttps = publicUrl.protocol === 'https:';
  const [restrict, restrictBoard] = [
    restrictPage({ isHttps }),
    restrictPage({ isHttps, hidesAddress: true }),
  ];
  // The address of a board is its token.
  app.use((c, next) => (c.req.path.startsWith('/board/') ? restrictBoard : restrict)(c, next));
  // Before the check of the host: platforms ask by the address of the machine.
  app.get('/healthz', (c) => c.body(null, 200, { 'Cache-Control': 'no-store' }));
  app.use(requirePublicUrl(publicUrl), limitForms, contextStorage(), detectLanguage(language));
  app.route('/', assetRoutes());
  app.route('/', boardRoutes({ functions, program, clock, addressOf }));
  app.use(async (c, next) => {
    c.header('Cache-Control', 'no-store');
    const session = await services.cookies.session(c);
    const isLive = session !== undefined && !services.people.hasEnded(session);
    if (isLive) c.set('session', session);
    await next();
    c.header('Cache-Control', 'no-store');
    if (isLive) await keepSession(services, c, session);
  });

  const checkForm = requireCsrf(formTokenOf);
  app.post('/console/language', checkForm, chooseLanguage);
  app.use('/sign-in/*', checkForm);
  app.route('/', signInRoutes(services));

  app.use(requireSession(services));
  app.use(checkForm);
  app.route('/', sessionRoutes(services));
  app.use(async (c, next) => (sessionOf(c)?.workspace ? await next() : c.redirect('/workspaces', 303)));
  app.route('/', consoleOf(services, formTokenOf));
  app.notFound(unknownPage);
  app.onError((error, c) => showError(services, error, c, functions));
  return app;
}

/** Forms are read before anyone has signed in, so their size must not exhaust the memory. */
const limitForms = bodyLimit({
  maxSize: MAX_FORM_BYTES,
  // The rest of the form is not read.
  onError: (c) => c.text('This form is too large.\n', 413, { Connection: 'close' }),
});

/** Sends everyone else to the sign-in page, and people whose sign-in is not complete to its next step. */
const requireSession =
  (services: SignInServices): MiddlewareHandler =>
  async (c, next) => {
    const session = sessionOf(c);
    const { path, method } = c.req;
    const target = method === 'GET' ? path + new URL(c.req.url).search : '/';
    if (!session) {
      const reason = services.cookies.hasSession(c) ? { reason: 'ended' } : {};
      return c.redirect(withNext('/sign-in', target, reason), method === 'GET' ? 302 : 303);
    }
    const [step] = session.steps;
    const isStep = path === '/sign-out' || (step && path.startsWith(stepPaths[step]));
    if (step && !isStep) return c.redirect(withNext(stepPaths[step], target), 303);
    return await next();
  };

/** The pages of the workspace that the person has opened. */
function consoleOf(services: SignInServices, formTokenOf: (c: Context) => string): Hono {
  return createConsoleApp({
    connect: async (c) => {
      const session = sessionOf(c);
      if (!session?.workspace) throw new SessionEnded();
      const { tokens, connected } = services.people.of(session).workspace(session.workspace.slug);
      // The scopes decide which pages are open, so they must be known first.
      await tokens.authorization();
      return connected;
    },
    csrf: formTokenOf,
    origin: services.publicUrl.origin,
    navigation: personNavigation,
    more: personPages,
    hidesClosedPages: true,
    foot: (c) => {
      const session = sessionOf(c);
      return session ? <SignedInFoot session={session} /> : '';
    },
    onUnauthorized: async (c) => endSession(services, c, 'access-ended'),
    onOtherError: async (error, c) => {
      const session = sessionOf(c);
      if (!session || error instanceof SessionEnded) return endSession(services, c, 'ended');
      return answerRefusal(services, c, session, error, '/');
    },
  });
}

/** Shows an error from before a workspace was open. */
async function showError(
  services: SignInServices,
  error: unknown,
  c: Context,
  functions: string,
): Promise<Response> {
  if (error instanceof SessionEnded) return endSession(services, c, 'ended');
  const failure = failureOf(asPlacarError(error), functions);
  if (!failure) console.error(error);
  else if (failure.retryAfter !== undefined) c.header('Retry-After', String(failure.retryAfter));
  c.header('Cache-Control', 'no-store');
  return sendPage(
    c,
    <StoppedPage forms={await formsOf(services, c)} title={failure?.title ?? t('This page failed to load')}>
      {failure?.text ?? t('See the terminal for the reason.')}
    </StoppedPage>,
    failure?.status ?? 500,
  );
}

/** Failures of Auth read like those of the deployment. */
function asPlacarError(error: unknown): unknown {
  if (error instanceof AuthUnreachable)
    return errorOf(error.message, { code: 'temporarily_unavailable', status: 503 });
  if (error instanceof AuthRejected)
    return errorOf(error.message, { code: error.code || 'invalid_answer', status: error.status });
  return error;
}

/** The last address of the header counts: proxies append to it, so the browser may have sent the others. */
function addressReader(header: string | undefined): (c: Context) => string {
  return (c) => {
    const named = header && c.req.header(header)?.split(',').at(-1)?.trim();
    return named || (getConnInfo(c).remote.address ?? '');
  };
}
