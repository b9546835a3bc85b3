// What the routes of signing in share, and how a session begins, goes on and ends.
import type { Context } from 'hono';
import type { AttemptsByAddress } from './attempts-by-address.ts';
import type { AuthApi, AuthSession } from './auth-api.ts';
import { type BrowserCookies, randomToken, type SignedIn, type Step } from './browser-cookies.ts';
import { ExchangeRefused } from './exchange.ts';
import type { Forms } from './layout.tsx';
import type { People, Person } from './person-tokens.ts';
import { ownTarget, withNext } from './public-url.ts';
import type { Clock } from './sealed.ts';

export interface SignInServices {
  auth: AuthApi;
  cookies: BrowserCookies;
  people: People;
  wrongSignIns: AttemptsByAddress;
  /** Emails that were asked for. Auth limits them for all people of the console together. */
  emails: AttemptsByAddress;
  clock: Clock;
  publicUrl: URL;
  /** Address of the browser. */
  addressOf(c: Context): string;
}

const ACTIVITY_MS = 60_000;

export interface SignInEnvironment {
  Variables: { session?: SignedIn | undefined };
}

/** The session of this request. */
export const sessionOf = (c: Context): SignedIn | undefined => c.get('session');

/** Target after signing in, from the form or the address. */
export async function formsOf({ cookies }: SignInServices, c: Context): Promise<Forms> {
  const form = c.req.method === 'POST' ? await c.req.parseBody() : {};
  return {
    formToken: sessionOf(c)?.formToken ?? cookies.formToken(c),
    next: ownTarget(form.next ?? c.req.query('next')),
  };
}

/** A text of the form, without spaces around it. */
export async function fieldOf(c: Context, name: string): Promise<string> {
  const value = (await c.req.parseBody())[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** Stores a change of the session in the browser. */
export async function saveSession(
  { cookies, people, clock }: SignInServices,
  c: Context,
  session: SignedIn,
): Promise<void> {
  const { refreshToken } = people.of(session);
  const saved = { ...session, refreshToken, activeAtMs: clock.now() };
  c.set('session', saved);
  await cookies.setSession(c, saved);
}

/** Begins a new session, whatever the browser had before, and responds with its next step. */
export async function beginSession(
  services: SignInServices,
  c: Context,
  auth: AuthSession,
  next: string,
  steps: readonly Step[] = [],
): Promise<Response> {
  const { people, cookies, clock } = services;
  const before = sessionOf(c);
  if (before) people.end(before);
  cookies.clearFlow(c);
  const session: SignedIn = {
    id: randomToken(),
    formToken: randomToken(),
    refreshToken: auth.refreshToken,
    email: auth.email || (before?.email ?? ''),
    signedInAtMs: clock.now(),
    activeAtMs: clock.now(),
    steps: auth.needsFactor ? ['factor', ...steps] : steps,
    hasOthers: false,
  };
  people.of(session).remember(auth);
  await saveSession(services, c, session);
  return continueSession(services, c, session, next);
}

export const stepPaths: Readonly<Record<Step, string>> = {
  factor: '/sign-in/mfa',
  password: '/sign-in/password',
};

/** The next step of a session, or a workspace. */
export async function continueSession(
  services: SignInServices,
  c: Context,
  session: SignedIn,
  next: string,
): Promise<Response> {
  const [step] = session.steps;
  if (step) return c.redirect(withNext(stepPaths[step], next), 303);
  const person = services.people.of(session);
  try {
    return await openWorkspace(services, c, session, person, next);
  } catch (error) {
    const response = await answerRefusal(services, c, session, error, next);
    if (response) return response;
    throw error;
  }
}

/** Opens a workspace, or the only one. */
export async function openWorkspace(
  services: SignInServices,
  c: Context,
  session: SignedIn,
  person: Person,
  next: string,
  tenant?: string,
): Promise<Response> {
  const exchanged = await person.exchange(tenant);
  person.workspace(exchanged.workspace.slug).tokens.remember(exchanged);
  await saveSession(services, c, {
    ...session,
    workspace: exchanged.workspace,
    hasOthers: tenant !== undefined,
  });
  return c.redirect(next, 303);
}

/** Responds to a refused exchange. Undefined for other errors. */
export async function answerRefusal(
  services: SignInServices,
  c: Context,
  session: SignedIn,
  error: unknown,
  next: string,
): Promise<Response | undefined> {
  if (!(error instanceof ExchangeRefused)) return undefined;
  if (error.reason === 'mfa_required') {
    await saveSession(services, c, { ...session, steps: ['factor'] });
    return c.redirect(withNext(stepPaths.factor, next), 303);
  }
  if (error.reason === 'subject_token_expired') return endSession(services, c, 'ended');
  // The page lists the workspaces, or says that there are none.
  await saveSession(services, c, { ...session, workspace: undefined });
  return c.redirect(withNext('/workspaces', next), 303);
}

/** Ends the session in this console, and responds with the sign-in page. */
export function endSession({ people, cookies }: SignInServices, c: Context, reason: string): Response {
  const session = sessionOf(c);
  if (session) people.end(session);
  c.set('session', undefined);
  cookies.clearSession(c);
  return c.redirect(`/sign-in?reason=${reason}`, 303);
}

/** Stores a replaced refresh token and, once a minute, that the person is active. Pages that refresh themselves do not count. */
export async function keepSession(services: SignInServices, c: Context, at: SignedIn): Promise<void> {
  const { cookies, people, clock } = services;
  const session = sessionOf(c);
  // Something else happened to the session.
  if (session !== at || people.hasEnded(session)) return;
  const { refreshToken } = people.of(session);
  const isActive = c.req.header('sec-fetch-dest') !== 'empty' && clock.now() - at.activeAtMs >= ACTIVITY_MS;
  if (!isActive && refreshToken === at.refreshToken) return;
  const activeAtMs = isActive ? clock.now() : at.activeAtMs;
  await cookies.setSession(c, { ...session, refreshToken, activeAtMs });
}
