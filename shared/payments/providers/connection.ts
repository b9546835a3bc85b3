// How adapters are made: one for an account, with where its provider answers.
import type { Logger } from '../../platform/logger.ts';

/** Where a provider answers and what it is known by, from the settings of the deployment. */
export interface ProviderAddresses {
  /** Ends in `/v3`. */
  ASAAS_URL: string;
  /** Without version. */
  WISE_URL: string;
  /** Calendar version of Wise's API, such as `2026Q3`. */
  WISE_VERSION: string;
  /** Wise's public key (PEM), which proves its deliveries. */
  WISE_PUBLIC_KEY: string;
  /** Without version. */
  STRIPE_URL: string;
}

export interface ConnectionOptions {
  addresses: ProviderAddresses;
  log: Logger;
}
