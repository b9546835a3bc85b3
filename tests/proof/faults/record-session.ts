// Calls the records API as an OAuth client, with a token of the called deployment.
import { type Caller, type Outcome, type Request, sendUntilClear } from './call.ts';
import type { Random } from './random.ts';
import type { RunState } from './run-state.ts';
import type { ProofTenant } from './tenant.ts';

const TOKEN_LASTS_MS = 20 * 60_000;

export class RecordSession {
  #token = '';
  #tokenUntil = 0;
  #tokenFrom = '';
  readonly #tenant: ProofTenant;
  readonly #caller: Caller;
  readonly #state: RunState;
  readonly #random: Random;

  constructor(tenant: ProofTenant, caller: Caller, state: RunState, random: Random) {
    this.#tenant = tenant;
    this.#caller = caller;
    this.#state = state;
    this.#random = random;
  }

  async call(method: string, path: string, body?: unknown, givesUp = 0): Promise<Outcome> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = async (): Promise<Request> => ({
      door: 'records',
      method,
      target: `/v1${path}`,
      ...(text !== undefined && { body: text }),
      headers: { Authorization: `Bearer ${await this.#freshToken()}` },
    });
    return await sendUntilClear(this.#caller, request, this.#random, givesUp);
  }

  async #freshToken(): Promise<string> {
    const isFresh = Date.now() < this.#tokenUntil && this.#tokenFrom === this.#caller.functionsUrl;
    if (isFresh && !this.#random.chance(0.01)) return this.#token;
    const body = { grant_type: 'client_credentials', ...this.#tenant.client };
    const request = (): Request => ({
      door: 'oauth',
      method: 'POST',
      target: '/oauth/token',
      body,
      headers: {},
    });
    const { answer } = await sendUntilClear(this.#caller, request, this.#random, 0);
    this.#state.check(
      answer?.status === 200,
      () => `no token: ${answer?.status} ${JSON.stringify(answer?.body)}`,
    );
    this.#token = answer?.body?.access_token;
    this.#tokenUntil = Date.now() + TOKEN_LASTS_MS;
    this.#tokenFrom = this.#caller.functionsUrl;
    return this.#token;
  }
}
