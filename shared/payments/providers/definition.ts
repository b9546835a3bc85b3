// What Placar knows of a provider without loading its adapter. `provider-registry/registry.ts` lists all definitions.
import type { Logger } from '../../platform/logger.ts';
import type { ProviderAccount } from './accounts.ts';
import type { PaymentMethod } from './charge-port.ts';
import type { OrderKind } from './order-report.ts';
import type { ConnectedProvider } from './provider.ts';

/** Base URLs and verification keys of providers in this deployment, by the name of their setting. */
export type ProviderAddresses = Readonly<Record<string, string>>;

export interface ConnectionOptions {
  addresses: ProviderAddresses;
  log: Logger;
}

/** The address of a setting. Throws without one. */
export function addressOf(addresses: ProviderAddresses, setting: string): string {
  const address = addresses[setting];
  if (address === undefined) throw new Error(`${setting} is not set`);
  return address;
}

/** Creates the adapter of an account. Throws for invalid settings of the account. */
type CreateProvider = (account: ProviderAccount, options: ConnectionOptions) => ConnectedProvider;

/** A field of the console's form that connects an account. */
interface ConnectionField {
  name: string;
  as?: 'integer' | 'secret';
}

/** Orders that go to a provider unless a tenant has routes of its own. Also rows of `provider_routes` (`database/payments/routes.sql`). */
export interface ProviderRoute {
  kind: OrderKind;
  /** `*`: any. */
  region: string;
  currency: string;
  /** Null: all methods. */
  method: PaymentMethod | null;
  /** Its place among the providers of such orders. */
  preference: number;
  /** Amounts that the provider accepts, in minor units. */
  minAmount: number | null;
  maxAmount: number | null;
}

export interface ProviderDefinition {
  name: string;
  /** Its name in sentences. */
  title: string;
  /** Defaults of its settings in `shared/platform/env.ts`. */
  addresses: Readonly<Record<'production' | 'staging', ProviderAddresses>>;
  /** Other hosts that serve its files. */
  fileHosts: readonly string[];
  /** The member of the admin API that contains an account's key. */
  keyMember: 'api_key' | 'token';
  /** Settings of an account that the console asks for. The adapter validates all. */
  settings: readonly ConnectionField[];
  /** What else an account can be connected with. */
  extras: readonly ConnectionField[];
  routes: readonly ProviderRoute[];
  /** Members of an invoice that it needs and Placar's own rules do not. */
  requires: readonly string[];
  /** Whether it supports due dates with fines, interest and discounts. */
  hasDueTerms: boolean;
  /** Whether its payment pages expire before the invoice, so that payers get a link of ours. */
  pagesExpire: boolean;
  load(): Promise<CreateProvider>;
}
