// The tokens of the people who are signed in, in memory only.
import QuickLRU from 'quick-lru';
import type { PersonTokens } from '../api/deployment.ts';
import { type Connected, connectTo } from '../app.tsx';
import { type AuthApi, AuthRejected, type AuthSession } from './auth-api.ts';
import type { SignedIn } from './browser-cookies.ts';
import { type Exchange, type ExchangedToken, ExchangeRefused } from './exchange.ts';
import type { Clock } from './sealed.ts';

/** Auth has ended the session of the person. */
export class SessionEnded extends Error {}

/** A person who is dropped gets new tokens with the next page. */
const MAX_PEOPLE = 1000;
const MAX_ENDED = 100_000;
/** Renewed this long before it expires. */
const MARGIN_MS = 60_000;

interface Services {
  auth: AuthApi;
  exchange: Exchange;
  clock: Clock;
  /** URL of the functions. */
  url: string;
  program: string;
}

export class People {
  readonly #services: Services;
  readonly #people = new QuickLRU<string, Person>({ maxSize: MAX_PEOPLE });
  readonly #ended = new QuickLRU<string, true>({ maxSize: MAX_ENDED });

  constructor(services: Services) {
    this.#services = services;
  }

  of(session: SignedIn): Person {
    const known = this.#people.get(session.id);
    if (known) return known;
    const person = new Person(this.#services, session.refreshToken);
    this.#people.set(session.id, person);
    return person;
  }

  /** Copies of the cookie are not valid any more either. */
  end(session: SignedIn): void {
    this.#people.delete(session.id);
    this.#ended.set(session.id, true);
  }

  hasEnded(session: SignedIn): boolean {
    return this.#ended.has(session.id);
  }
}

/** The tokens of one session. */
export class Person {
  readonly #services: Services;
  readonly #workspaces = new Map<string, { tokens: WorkspaceTokens; connected: Connected }>();
  #refreshToken: string;
  #access: { token: string; renewAtMs: number } | undefined;
  #refreshing: Promise<string> | undefined;

  constructor(services: Services, refreshToken: string) {
    this.#services = services;
    this.#refreshToken = refreshToken;
  }

  /** Auth replaces it with every use. */
  get refreshToken(): string {
    return this.#refreshToken;
  }

  /** Takes over what Auth returned. */
  remember({ accessToken, refreshToken, lifeMs }: AuthSession): void {
    this.#refreshToken = refreshToken;
    const marginMs = Math.min(MARGIN_MS, lifeMs / 10);
    this.#access = { token: accessToken, renewAtMs: this.#services.clock.now() + lifeMs - marginMs };
  }

  /** The access token of Auth. Throws `SessionEnded` if there is none any more. */
  async accessToken(): Promise<string> {
    const { auth, clock } = this.#services;
    if (this.#access && clock.now() < this.#access.renewAtMs) return this.#access.token;
    this.#refreshing ??= auth
      .withRefreshToken(this.#refreshToken)
      .then((session) => {
        this.remember(session);
        return session.accessToken;
      })
      .catch((error: unknown) => {
        if (error instanceof AuthRejected && error.status !== 429) throw new SessionEnded();
        throw error;
      })
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  /** A token for a workspace, or for the only one. Throws `ExchangeRefused`, `SessionEnded` or a `PlacarError`. */
  async exchange(tenant: string | undefined): Promise<ExchangedToken> {
    const token = await this.accessToken();
    try {
      return await this.#services.exchange(token, tenant);
    } catch (error) {
      if (!(error instanceof ExchangeRefused)) throw error;
      if (error.reason === 'subject_token_invalid') throw new SessionEnded();
      if (error.reason !== 'subject_token_expired') throw error;
      // The clocks differ.
      if (this.#access?.token === token) this.#access = undefined;
      return await this.#services.exchange(await this.accessToken(), tenant);
    }
  }

  /** The connection to a workspace, with the tokens that are known. */
  workspace(slug: string): { tokens: WorkspaceTokens; connected: Connected } {
    const known = this.#workspaces.get(slug);
    if (known) return known;
    const { clock, url, program } = this.#services;
    const tokens = new WorkspaceTokens(() => this.exchange(slug), clock);
    const made = { tokens, connected: connectTo({ url, credentials: { person: tokens }, program }) };
    this.#workspaces.set(slug, made);
    return made;
  }
}

/** The tokens of a person for one workspace. Concurrent requests share one exchange. */
export class WorkspaceTokens implements PersonTokens {
  readonly #exchange: () => Promise<ExchangedToken>;
  readonly #clock: Clock;
  #current: { header: string; renewAtMs: number } | undefined;
  #exchanging: Promise<string> | undefined;
  #scopes: readonly string[] = [];
  readonly #secrets: string[] = [];

  constructor(exchange: () => Promise<ExchangedToken>, clock: Clock) {
    this.#exchange = exchange;
    this.#clock = clock;
  }

  get scopes(): readonly string[] {
    return this.#scopes;
  }

  get secrets(): readonly string[] {
    return this.#secrets;
  }

  remember({ token, scopes, lifeMs }: ExchangedToken): void {
    this.#scopes = scopes;
    this.#secrets.splice(0, 1, token);
    const renewAtMs = this.#clock.now() + lifeMs - Math.min(MARGIN_MS, lifeMs / 10);
    this.#current = { header: `Bearer ${token}`, renewAtMs };
  }

  async authorization(): Promise<string> {
    if (this.#current && this.#clock.now() < this.#current.renewAtMs) return this.#current.header;
    this.#exchanging ??= this.#exchange()
      .then((exchanged) => {
        this.remember(exchanged);
        return `Bearer ${exchanged.token}`;
      })
      .finally(() => {
        this.#exchanging = undefined;
      });
    return this.#exchanging;
  }

  renew(refused: string): boolean {
    if (this.#current?.header === refused) this.#current = undefined;
    return true;
  }
}
