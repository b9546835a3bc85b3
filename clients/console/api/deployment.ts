// The connection to a deployment: credentials, access tokens, and the two interfaces. Secrets stay in this module.

import { signing } from '../../typescript/src/core/authorizers.ts';
import { type ClientOptions, functionsUrl } from '../../typescript/src/core/options.ts';
import { errorFrom } from '../../typescript/src/core/responses.ts';
import { type Authorizer, type OutgoingRequest, Transport } from '../../typescript/src/core/transport.ts';
import { PlacarError } from '../../typescript/src/errors.ts';
import { KEY, KEY_WRITES, type Scope, withPayments } from './access.ts';
import { asJson, asText, type Json } from './json.ts';

/** The tokens of a person for one workspace, for records and payments. */
export interface PersonTokens extends Authorizer {
  /** Of the last token. */
  readonly scopes: readonly Scope[];
}

export interface ConsoleCredentials {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  apiKey?: string | undefined;
  /** Instead of a client and a key. */
  person?: PersonTokens | undefined;
}

export interface DeploymentOptions {
  /** URL of the project or of its functions. */
  url: string;
  credentials: ConsoleCredentials;
  /** `placar-console/<version>`. */
  program: string;
  /** The person who uses the console, for the audit trail. */
  onBehalfOf?: string | undefined;
}

/** Request ids of the console begin with it, so that its pages recognize their own requests in the log. */
const OWN_REQUEST = 'console-';

export const isOwnRequest = ({ request_id: id }: Json): boolean => asText(id).startsWith(OWN_REQUEST);

/** Renewed this long before it expires. */
const MARGIN_MS = 60_000;
const FILE_TIMEOUT_MS = 120_000;

export class Deployment {
  readonly url: string;
  readonly #program: Readonly<Record<string, string>>;
  #credentials: ConsoleCredentials;
  #scopes: readonly Scope[] = [];
  #records: Transport | undefined;
  #payments: Transport | undefined;

  constructor({ url, credentials, program, onBehalfOf }: DeploymentOptions) {
    this.url = url;
    this.#program = { 'User-Agent': program, ...(onBehalfOf && { 'X-On-Behalf-Of': onBehalfOf }) };
    this.#credentials = credentials;
    this.#connect();
  }

  /** Headers of a request. */
  get headers(): Readonly<Record<string, string>> {
    return { ...this.#program, 'X-Request-Id': `${OWN_REQUEST}${crypto.randomUUID()}` };
  }

  /** Scopes of the token, and those of an API key if there is one. */
  get scopes(): ReadonlySet<Scope> {
    const { person } = this.#credentials;
    if (person) return withPayments(person.scopes);
    return new Set([...this.#scopes, ...(this.#payments ? [KEY, KEY_WRITES] : [])]);
  }

  get clientId(): string | undefined {
    return this.#credentials.clientId;
  }

  /** Whether a person signed in, instead of a client. */
  get isPerson(): boolean {
    return this.#credentials.person !== undefined;
  }

  /** The transport for this path; undefined if its credentials are missing. */
  transportOf(target: string): Transport | undefined {
    return target.startsWith('/payments/') ? this.#payments : this.#records;
  }

  /** The response to a GET of payments that is a file. Throws a `PlacarError`. */
  async file(target: string): Promise<Response> {
    const { person } = this.#credentials;
    const url = functionsUrl(this.url) + target;
    const send = async () => {
      const authorization = await person?.authorization({ method: 'GET', target, repeatable: true });
      const response = await fetch(url, {
        headers: { ...this.headers, ...(authorization && { Authorization: authorization }) },
        redirect: 'manual',
        signal: AbortSignal.timeout(FILE_TIMEOUT_MS),
      });
      return { response, authorization };
    };
    const { response, authorization } = await send();
    const isOld = response.status === 401 && authorization && person?.renew?.(authorization);
    const last = isOld ? (await send()).response : response;
    if (last.ok) return last;
    const { status, headers: answered } = last;
    throw errorFrom({ status, headers: answered, text: await last.text() }, '', (text) => text);
  }

  /** Replaces credentials that the deployment no longer accepts. */
  replace(credentials: ConsoleCredentials): void {
    this.#credentials = { ...this.#credentials, ...credentials };
    this.#connect();
  }

  /** Checks the credentials with one request for each kind. Throws a `PlacarError`. */
  async check(): Promise<void> {
    await this.#records?.json({
      method: 'GET',
      target: '/v1/health/live',
      headers: this.headers,
      repeatable: true,
    });
    if (!this.#payments) return;
    const target = '/payments/invoices?limit=1';
    await this.#payments
      .json({ method: 'GET', target, headers: this.headers, repeatable: true })
      .catch((error: unknown) => {
        // A key that is only for activity sync opens no pages, but is valid.
        if (!(error instanceof PlacarError) || error.status !== 403) throw error;
      });
  }

  #connect(): void {
    const { clientId, clientSecret, apiKey, person } = this.#credentials;
    // No retries: a page responds immediately, and the person decides whether to try again.
    const options: ClientOptions = { url: this.url, maxRetries: 0, maxWaitMs: 0, timeoutMs: 30_000 };
    this.#scopes = [];
    if (person) {
      this.#payments = this.#records = new Transport(options, person);
      return;
    }
    this.#records =
      clientId && clientSecret
        ? new Transport(options, this.#tokens(options, clientId, clientSecret))
        : undefined;
    this.#payments = apiKey ? new Transport(options, signing({ ...options, apiKey })) : undefined;
  }

  /** Requests tokens and remembers their scopes. */
  #tokens(options: ClientOptions, clientId: string, clientSecret: string): Authorizer {
    const transport = new Transport(options, undefined, [clientSecret]);
    const secrets = [clientSecret];
    const request: OutgoingRequest = {
      method: 'POST',
      target: '/oauth/token',
      body: JSON.stringify({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
      repeatable: true,
    };
    let token: { header: string; renewAt: number } | undefined;
    let fetching: Promise<string> | undefined;
    const fetchToken = async (): Promise<string> => {
      const askedAt = Date.now();
      const answer = asJson(await transport.json({ ...request, headers: this.headers }));
      const value = asText(answer.access_token);
      const seconds = Number(answer.expires_in);
      if (!value || !Number.isFinite(seconds))
        throw new PlacarError('The token endpoint returned no token.', { code: 'invalid_answer' });
      secrets.splice(1, 1, value);
      this.#scopes = asText(answer.scope).split(' ').filter(Boolean);
      const lifeMs = seconds * 1000;
      token = { header: `Bearer ${value}`, renewAt: askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 10) };
      return token.header;
    };
    return {
      secrets,
      async authorization() {
        if (token && Date.now() < token.renewAt) return token.header;
        fetching ??= fetchToken().finally(() => {
          fetching = undefined;
        });
        return fetching;
      },
      renew(refused) {
        if (token?.header === refused) token = undefined;
        return true;
      },
    };
  }
}
