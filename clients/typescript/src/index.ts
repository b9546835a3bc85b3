/** All of Placar in one client. Each interface also has its own entry point. */
import { ActivitySync } from './activity-sync.ts';
import { type CallOptions, type ClientOptions, functionsUrl } from './core/options.ts';
import { OptionsError } from './errors.ts';
import { PaymentsClient } from './payments.ts';
import type { Variant } from './records/types.ts';
import { RecordsClient } from './records.ts';

export * from './activity-sync.ts';
export type { EventOf, EventType, WebhookEvent } from './events.ts';
export type * from './payments.ts';
export { PaymentsClient } from './payments.ts';
export type * from './records.ts';
export { etagOf, RecordsClient } from './records.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookRequest,
  WebhookVerificationError,
} from './webhooks/verify.ts';

export interface PlacarOptions<V extends Variant = Variant> extends ClientOptions {
  /** For activity sync and payments. */
  apiKey?: string | undefined;
  /** For records, with `clientSecret`. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Naming of records and their types. Default: the variant of the OAuth client, with the types of variant A. */
  variant?: V;
}

/** `new Placar({ url, apiKey, clientId, clientSecret })`. Using an interface without its credentials throws. */
export class Placar<V extends Variant = 'a'> {
  readonly #sync: ActivitySync | undefined;
  readonly #payments: PaymentsClient | undefined;
  readonly #records: RecordsClient<V> | undefined;

  constructor(options: PlacarOptions<V>) {
    const { apiKey, clientId, clientSecret } = options;
    functionsUrl(options.url);
    if (apiKey !== undefined) {
      this.#sync = new ActivitySync({ ...options, apiKey });
      this.#payments = new PaymentsClient({ ...options, apiKey });
    }
    if (clientId !== undefined || clientSecret !== undefined) {
      // The client rejects an empty string with an error that names the missing option.
      this.#records = new RecordsClient({
        ...options,
        clientId: clientId ?? '',
        clientSecret: clientSecret ?? '',
      });
    }
  }

  /** Numbered activities of collaborators. */
  get activities() {
    return given(this.#sync, KEY).activities;
  }
  get collaborators() {
    return given(this.#sync, KEY).collaborators;
  }

  get invoices() {
    return given(this.#payments, KEY).invoices;
  }
  get payouts() {
    return given(this.#payments, KEY).payouts;
  }
  /** The ledger. */
  get balanceTransactions() {
    return given(this.#payments, KEY).balanceTransactions;
  }
  /** Event feed of payments. */
  get paymentEvents() {
    return given(this.#payments, KEY).events;
  }
  /** Webhooks of payments. `webhooks` has those of records. */
  get paymentWebhooks() {
    return given(this.#payments, KEY).webhooks;
  }
  /** Totals of the ledger by currency. */
  balance(options?: CallOptions) {
    return given(this.#payments, KEY).balance(options);
  }

  /** What can be charged, paid out and issued. */
  capabilities(options?: CallOptions) {
    return given(this.#payments, KEY).capabilities(options);
  }

  get leads() {
    return given(this.#records, CLIENT).leads;
  }
  get deals() {
    return given(this.#records, CLIENT).deals;
  }
  get opportunities() {
    return given(this.#records, CLIENT).opportunities;
  }
  /** Calls, notes and meetings of deals. */
  get dealActivities() {
    return given(this.#records, CLIENT).dealActivities;
  }
  get stages() {
    return given(this.#records, CLIENT).stages;
  }
  get users() {
    return given(this.#records, CLIENT).users;
  }
  get missions() {
    return given(this.#records, CLIENT).missions;
  }
  get standings() {
    return given(this.#records, CLIENT).standings;
  }
  get seasons() {
    return given(this.#records, CLIENT).seasons;
  }
  get badges() {
    return given(this.#records, CLIENT).badges;
  }
  get challenges() {
    return given(this.#records, CLIENT).challenges;
  }
  get invitations() {
    return given(this.#records, CLIENT).invitations;
  }
  get teams() {
    return given(this.#records, CLIENT).teams;
  }
  get webhooks() {
    return given(this.#records, CLIENT).webhooks;
  }
  /** Event feed of records. */
  get events() {
    return given(this.#records, CLIENT).events;
  }
  /** The admin API: `admin.request('POST', '/missions', {...})`. */
  get admin() {
    return given(this.#records, CLIENT).admin;
  }
}

const KEY = 'apiKey';
const CLIENT = 'clientId and clientSecret';

function given<T>(client: T | undefined, names: string): T {
  if (client !== undefined) return client;
  throw new OptionsError(`${names} must be set for this interface`, { code: 'invalid_options' });
}
