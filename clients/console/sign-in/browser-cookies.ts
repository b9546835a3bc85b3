// The cookies of a browser: its session, a sign-in that has begun, and the token of its forms.
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import type { WorkspaceName } from './exchange.ts';
import type { Clock, Sealer } from './sealed.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const IDLE_MS = 12 * HOUR_MS;
const TOTAL_MS = 7 * 24 * HOUR_MS;
const FLOW_MS = 10 * MINUTE_MS;

/** What the person does before the pages open: enter a second factor, choose a password. */
export type Step = 'factor' | 'password';

/** A person who signed in. Access tokens are not part of it: they stay in memory. */
export interface SignedIn {
  /** Names the tokens in memory. */
  id: string;
  /** Every form contains this token. */
  formToken: string;
  refreshToken: string;
  email: string;
  signedInAtMs: number;
  /** When the person last opened a page, to the minute. */
  activeAtMs: number;
  steps: readonly Step[];
  workspace?: WorkspaceName | undefined;
  /** Whether the person may choose another workspace. */
  hasOthers: boolean;
}

/** A sign-in that began in this browser. */
export interface Flow {
  /** PKCE verifier. */
  verifier?: string;
  /** Where the code was sent. */
  email?: string;
  /** Of a link of an invitation or recovery. */
  link?: { type: 'invite' | 'recovery'; tokenHash: string };
  /** An authenticator app that is being set up. */
  factor?: { id: string; uri: string; secret: string };
  next: string;
}

export const randomToken = (): string => randomBytes(24).toString('base64url');

export class BrowserCookies {
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #options: CookieOptions;
  readonly #names: Readonly<Record<'session' | 'flow' | 'form', string>>;

  constructor(publicUrl: URL, sealer: Sealer, clock: Clock) {
    const secure = publicUrl.protocol === 'https:';
    const name = secure ? '__Host-placar' : 'placar';
    this.#names = { session: name, flow: `${name}-flow`, form: `${name}-form` };
    this.#options = { path: '/', httpOnly: true, sameSite: 'Lax', secure };
    this.#sealer = sealer;
    this.#clock = clock;
  }

  hasSession(c: Context): boolean {
    return getCookie(c, this.#names.session) !== undefined;
  }

  /** Undefined if there is none, or it is over. */
  async session(c: Context): Promise<SignedIn | undefined> {
    const text = getCookie(c, this.#names.session);
    // Sealed values come from this console.
    return text === undefined ? undefined : ((await this.#sealer.open('session', text)) as SignedIn);
  }

  async setSession(c: Context, session: SignedIn): Promise<void> {
    const endsAtMs = Math.min(session.activeAtMs + IDLE_MS, session.signedInAtMs + TOTAL_MS);
    const maxAge = Math.max(0, Math.floor((endsAtMs - this.#clock.now()) / 1000));
    const sealed = await this.#sealer.seal('session', session, endsAtMs);
    setCookie(c, this.#names.session, sealed, { ...this.#options, maxAge });
  }

  clearSession(c: Context): void {
    deleteCookie(c, this.#names.session, this.#options);
  }

  async flow(c: Context): Promise<Flow | undefined> {
    const text = getCookie(c, this.#names.flow);
    return text === undefined ? undefined : ((await this.#sealer.open('flow', text)) as Flow);
  }

  async setFlow(c: Context, flow: Flow): Promise<void> {
    const sealed = await this.#sealer.seal('flow', flow, this.#clock.now() + FLOW_MS);
    setCookie(c, this.#names.flow, sealed, { ...this.#options, maxAge: FLOW_MS / 1000 });
  }

  clearFlow(c: Context): void {
    if (getCookie(c, this.#names.flow) !== undefined) deleteCookie(c, this.#names.flow, this.#options);
  }

  /** Token of the forms before signing in. Sets it on the first page. */
  formToken(c: Context): string {
    const known = c.get('formToken') ?? getCookie(c, this.#names.form);
    if (known !== undefined && /^[\w-]{32}$/.test(known)) return known;
    const token = randomToken();
    c.set('formToken', token);
    // A form that is rejected does not replace the token of the page that the person has open.
    if (c.req.method === 'GET') setCookie(c, this.#names.form, token, this.#options);
    return token;
  }
}
