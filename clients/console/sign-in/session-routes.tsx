// What a person does after signing in: enter a second factor, choose a password or a workspace, sign out.
import { type Context, Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { t } from '../kit/language.ts';
import { sendPage } from '../render.tsx';
import { AuthRejected } from './auth-api.ts';
import { ExchangeRefused } from './exchange.ts';
import { FactorPage, NoWorkspacePage, PasswordPage, WorkspacesPage } from './pages.tsx';
import { SessionEnded } from './person-tokens.ts';
import { withNext } from './public-url.ts';
import { attempt } from './routes.tsx';
import {
  answerRefusal,
  beginSession,
  continueSession,
  endSession,
  fieldOf,
  formsOf,
  openWorkspace,
  type SignInServices,
  saveSession,
  sessionOf,
} from './session-context.ts';

/** The session that `requireSession` has found. */
const signedIn = (c: Context) => {
  const session = sessionOf(c);
  if (!session) throw new SessionEnded();
  return session;
};

export function sessionRoutes(services: SignInServices): Hono {
  const app = new Hono();
  addFactorRoutes(app, services);
  addPasswordRoutes(app, services);
  addWorkspaceRoutes(app, services);

  app.post('/sign-out', async (c) => {
    const scope = (await fieldOf(c, 'everywhere')) ? 'global' : 'local';
    const person = services.people.of(signedIn(c));
    try {
      await services.auth.signOut(await person.accessToken(), scope);
    } catch (error) {
      // The session at Auth is over already.
      if (!(error instanceof SessionEnded || error instanceof AuthRejected)) {
        endSession(services, c, 'signed-out');
        throw error;
      }
    }
    return endSession(services, c, 'signed-out');
  });
  return app;
}

function addFactorRoutes(app: Hono, services: SignInServices): void {
  const { auth, cookies, people } = services;

  const factorPage = async (c: Context, fault?: Child) => {
    const session = signedIn(c);
    const factors = await auth.factors(await people.of(session).accessToken());
    const hasFactor = factors.some(({ isVerified }) => isVerified);
    const setUp = hasFactor ? undefined : (await cookies.flow(c))?.factor;
    return (
      <FactorPage
        forms={await formsOf(services, c)}
        email={session.email}
        hasFactor={hasFactor}
        {...(setUp && { setUp })}
        {...(fault !== undefined && { fault })}
      />
    );
  };

  app.get('/sign-in/mfa', async (c) => sendPage(c, await factorPage(c)));

  app.post('/sign-in/mfa/set-up', async (c) => {
    const session = signedIn(c);
    const { next } = await formsOf(services, c);
    // Auth wants a name that the account does not have yet.
    const name = `Placar ${new Date(services.clock.now()).toISOString()}`;
    const factor = await auth.enroll(await people.of(session).accessToken(), name);
    await cookies.setFlow(c, { factor, next });
    return c.redirect(withNext('/sign-in/mfa', next), 303);
  });

  app.post('/sign-in/mfa', async (c) => {
    const session = signedIn(c);
    const token = await people.of(session).accessToken();
    const factors = await auth.factors(token);
    const id = factors.find(({ isVerified }) => isVerified)?.id ?? (await cookies.flow(c))?.factor?.id;
    const { next } = await formsOf(services, c);
    if (id === undefined) return c.redirect(withNext('/sign-in/mfa', next), 303);
    const code = (await fieldOf(c, 'code')).replaceAll(/\s/g, '');
    const signed = await attempt(
      services,
      c,
      () => auth.withFactor(token, id, code),
      (fault) => factorPage(c, fault),
    );
    if (signed instanceof Response) return signed;
    const steps = session.steps.filter((step) => step !== 'factor');
    return beginSession(services, c, signed, next, steps);
  });
}

function addPasswordRoutes(app: Hono, services: SignInServices): void {
  const { auth, people } = services;

  const passwordPage = async (c: Context, fault?: Child) => (
    <PasswordPage
      forms={await formsOf(services, c)}
      email={signedIn(c).email}
      isChange={!signedIn(c).steps.includes('password')}
      {...(fault !== undefined && { fault })}
    />
  );

  app.get('/sign-in/password', async (c) => {
    return sendPage(c, await passwordPage(c));
  });

  app.post('/sign-in/password', async (c) => {
    const session = signedIn(c);
    const { next } = await formsOf(services, c);
    const { password, skip } = await c.req.parseBody();
    if (skip === undefined) {
      try {
        const token = await people.of(session).accessToken();
        await auth.setPassword(token, typeof password === 'string' ? password : '');
      } catch (error) {
        if (!(error instanceof AuthRejected) || error.status === 429) throw error;
        return sendPage(c, await passwordPage(c, <span lang="en">{error.message}</span>), 400);
      }
    }
    const done = { ...session, steps: session.steps.filter((step) => step !== 'password') };
    await saveSession(services, c, done);
    return continueSession(services, c, done, next);
  });
}

function addWorkspaceRoutes(app: Hono, services: SignInServices): void {
  /** Opens the only workspace, or lists them. */
  const chooseWorkspace = async (c: Context, fault?: Child) => {
    const session = signedIn(c);
    const forms = await formsOf(services, c);
    const page = { forms, email: session.email, ...(fault !== undefined && { fault }) };
    try {
      return await openWorkspace(services, c, session, services.people.of(session), forms.next);
    } catch (error) {
      if (error instanceof ExchangeRefused && error.reason === 'not_a_member')
        return sendPage(c, <NoWorkspacePage {...page} />, 403);
      if (error instanceof ExchangeRefused && error.reason === 'workspace_needed')
        return sendPage(c, <WorkspacesPage {...page} workspaces={error.workspaces} />, fault ? 400 : 200);
      const response = await answerRefusal(services, c, session, error, forms.next);
      if (response) return response;
      throw error;
    }
  };

  app.get('/workspaces', (c) => chooseWorkspace(c));

  app.post('/workspaces', async (c) => {
    const session = signedIn(c);
    const [tenant, { next }] = [await fieldOf(c, 'tenant'), await formsOf(services, c)];
    try {
      return await openWorkspace(services, c, session, services.people.of(session), next, tenant);
    } catch (error) {
      if (error instanceof ExchangeRefused && error.reason === 'workspace_unknown')
        return chooseWorkspace(c, t('You cannot choose this workspace.'));
      const response = await answerRefusal(services, c, session, error, next);
      if (response) return response;
      throw error;
    }
  });
}
