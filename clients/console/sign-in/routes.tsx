// Signing in: with a password, by email, with a provider, with SSO, and by the link of an invitation or recovery.
import { type Context, Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi';
import { t, tCount } from '../kit/language.ts';
import { type Renderable, sendPage } from '../render.tsx';
import { AuthRejected, type AuthSession, type Binding } from './auth-api.ts';
import type { Flow } from './browser-cookies.ts';
import { ConfirmPage, EmailSentPage, reasons, SignInPage, SsoPage, StoppedPage } from './pages.tsx';
import { ownTarget, withNext } from './public-url.ts';
import {
  beginSession,
  continueSession,
  fieldOf,
  formsOf,
  type SignInServices,
  sessionOf,
} from './session-context.ts';

/** The same for everything that can be wrong, so that it says nothing about an account. */
const wrong = () => t('This did not work. Check what you entered and try again.');

/** The texts for a rejected sign-in. */
export function faultOf(error: AuthRejected): Child {
  if (error.code === 'captcha_failed')
    return t(
      'The CAPTCHA protection of Supabase Auth is on, which this page does not support. Tell the operator.',
    );
  return wrong();
}

type Show = (fault: Child) => Promise<Renderable> | Renderable;

/** The page of the form, which says how long to wait. */
async function tooMany(c: Context, waitSeconds: number, show: Show): Promise<Response> {
  c.header('Retry-After', String(waitSeconds));
  const fault = tCount(
    waitSeconds,
    'Too many attempts. Try again in {count} second.',
    'Too many attempts. Try again in {count} seconds.',
  );
  return sendPage(c, await show(fault), 429);
}

/** Tries a secret that can be guessed. `show` renders the page of the form with what is wrong. */
export async function attempt(
  services: SignInServices,
  c: Context,
  work: () => Promise<AuthSession>,
  show: Show,
): Promise<AuthSession | Response> {
  const counted = services.wrongSignIns.begin(services.addressOf(c));
  if ('waitSeconds' in counted) return tooMany(c, counted.waitSeconds, show);
  try {
    const session = await work();
    counted.succeeded();
    return session;
  } catch (error) {
    // An outage says nothing about the person.
    if (!(error instanceof AuthRejected)) counted.succeeded();
    if (!(error instanceof AuthRejected) || error.status === 429) throw error;
    return sendPage(c, await show(faultOf(error)), 403);
  }
}

export function signInRoutes(services: SignInServices): Hono {
  const app = new Hono();
  const { auth, cookies, publicUrl } = services;

  /** Binds a link or redirect to this browser. */
  const bind = async (c: Context, flow: Omit<Flow, 'verifier'>): Promise<Binding> => {
    const verifier = generateRandomCodeVerifier();
    await cookies.setFlow(c, { ...flow, verifier });
    return {
      redirectTo: `${publicUrl.origin}/sign-in/callback`,
      challenge: await calculatePKCECodeChallenge(verifier),
    };
  };

  const signInPage = async (c: Context, more: { fault?: Child; email?: string; notice?: Child } = {}) => (
    <SignInPage forms={await formsOf(services, c)} settings={await auth.settings()} {...more} />
  );

  const stopped = async (c: Context, text: Child) =>
    sendPage(
      c,
      <StoppedPage forms={await formsOf(services, c)} title={t('Sign-in failed')}>
        {text}
      </StoppedPage>,
      403,
    );

  app.get('/sign-in', async (c) => {
    const session = sessionOf(c);
    const next = ownTarget(c.req.query('next'));
    if (session?.workspace && session.steps.length === 0) return c.redirect(next);
    if (session) return continueSession(services, c, session, next);
    const reason = reasons.get(c.req.query('reason') ?? '');
    return sendPage(c, await signInPage(c, { ...(reason && { notice: t(reason) }) }));
  });

  app.post('/sign-in', async (c) => {
    const [email, { password }] = [await fieldOf(c, 'email'), await c.req.parseBody()];
    const session = await attempt(
      services,
      c,
      () => auth.withPassword(email, typeof password === 'string' ? password : ''),
      (fault) => signInPage(c, { fault, email }),
    );
    if (session instanceof Response) return session;
    return beginSession(services, c, session, (await formsOf(services, c)).next);
  });

  app.post('/sign-in/email', async (c) => {
    const [email, { next }] = [await fieldOf(c, 'email'), await formsOf(services, c)];
    // Also for known addresses, so that this says nothing about them.
    const counted = services.emails.begin(services.addressOf(c));
    if ('waitSeconds' in counted)
      return tooMany(c, counted.waitSeconds, (fault) => signInPage(c, { fault, email }));
    const binding = await bind(c, { email, next });
    // Whether there is such an account, or it got an email a moment ago, is not shown.
    await auth.sendEmail(email, binding).catch((error: unknown) => {
      if (!(error instanceof AuthRejected) || error.code === 'captcha_failed') throw error;
    });
    return c.redirect(withNext('/sign-in/email', next), 303);
  });

  const emailSent = async (c: Context, flow: Flow, fault?: Child) => (
    <EmailSentPage
      forms={{ ...(await formsOf(services, c)), next: flow.next }}
      email={flow.email ?? ''}
      {...(fault !== undefined && { fault })}
    />
  );

  app.get('/sign-in/email', async (c) => {
    const flow = await cookies.flow(c);
    if (flow?.email === undefined) return c.redirect('/sign-in');
    return sendPage(c, await emailSent(c, flow));
  });

  app.post('/sign-in/code', async (c) => {
    const [flow, code] = [await cookies.flow(c), await fieldOf(c, 'code')];
    const { email } = flow ?? {};
    if (!flow || email === undefined) return c.redirect('/sign-in', 303);
    const session = await attempt(
      services,
      c,
      () => auth.withEmailCode(email, code.replaceAll(/\s/g, '')),
      (fault) => emailSent(c, flow, fault),
    );
    if (session instanceof Response) return session;
    return beginSession(services, c, session, flow.next);
  });

  app.get('/sign-in/with/:provider', async (c) => {
    const { provider } = c.req.param();
    if (!(await auth.settings()).providers.includes(provider)) return c.redirect('/sign-in');
    const binding = await bind(c, { next: ownTarget(c.req.query('next')) });
    return c.redirect(auth.providerUrl(provider, binding));
  });

  app.post('/sign-in/sso', async (c) => {
    const domain = (await fieldOf(c, 'domain')).replace(/^.*@/, '').toLowerCase();
    const forms = await formsOf(services, c);
    const url = await auth.ssoUrl(domain, await bind(c, { next: forms.next })).catch((error: unknown) => {
      if (error instanceof AuthRejected && error.status < 429) return '';
      throw error;
    });
    if (!/^https?:\/\//.test(url)) return stopped(c, t('This domain does not have SSO.'));
    return sendPage(c, <SsoPage forms={forms} domain={domain} url={url} />);
  });

  app.get('/sign-in/callback', async (c) => {
    const [flow, code] = [await cookies.flow(c), c.req.query('code')];
    if (!flow?.verifier || !code) {
      return stopped(
        c,
        t(
          code
            ? 'This link belongs to another browser, has been used or has expired. Begin again here.'
            : 'The link or the provider did not sign you in. Try again.',
        ),
      );
    }
    try {
      return await beginSession(services, c, await auth.withAuthCode(code, flow.verifier), flow.next);
    } catch (error) {
      if (!(error instanceof AuthRejected) || error.status === 429) throw error;
      cookies.clearFlow(c);
      return stopped(
        c,
        t('This link belongs to another browser, has been used or has expired. Begin again here.'),
      );
    }
  });

  app.get('/sign-in/confirm', async (c) => {
    const { token_hash: tokenHash, type } = c.req.query();
    const next = ownTarget(c.req.query('next'));
    if (tokenHash !== undefined) {
      if (type !== 'invite' && type !== 'recovery') return c.redirect('/sign-in');
      // Out of the address, so that it is in no history and no page.
      await cookies.setFlow(c, { link: { type, tokenHash }, next });
      return c.redirect(withNext('/sign-in/confirm', next), 303);
    }
    const flow = await cookies.flow(c);
    if (!flow?.link) return c.redirect('/sign-in');
    const forms = { ...(await formsOf(services, c)), next: flow.next };
    return sendPage(c, <ConfirmPage forms={forms} type={flow.link.type} />);
  });

  app.post('/sign-in/confirm', async (c) => {
    const flow = await cookies.flow(c);
    const { link } = flow ?? {};
    if (!flow || !link) return c.redirect('/sign-in', 303);
    const forms = await formsOf(services, c);
    const session = await attempt(
      services,
      c,
      () => auth.withTokenHash(link.type, link.tokenHash),
      () => (
        <StoppedPage forms={forms} title={t('Sign-in failed')}>
          {t('This link has been used or has expired. Ask for a new one.')}
        </StoppedPage>
      ),
    );
    if (session instanceof Response) return session;
    return beginSession(services, c, session, flow.next, ['password']);
  });

  return app;
}
