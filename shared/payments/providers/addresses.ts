// Base URLs of the providers by environment. Contains only data, because the local stack imports it for its network rules.
import type { Env } from '../../platform/env.ts';
import type { Logger } from '../../platform/logger.ts';
import { wisePublicKeys } from './wise-public-keys.ts';

const defaults = {
  production: {
    ASAAS_URL: 'https://api.asaas.com/v3',
    WISE_URL: 'https://api.wise.com',
    STRIPE_URL: 'https://api.stripe.com',
  },
  staging: {
    ASAAS_URL: 'https://api-sandbox.asaas.com/v3',
    WISE_URL: 'https://api.wise-sandbox.com',
    STRIPE_URL: 'https://api.stripe.com',
  },
} as const;

/** The addresses from the environment variables, with defaults by environment. */
export function addressesOf(env: Env<'app' | 'providers'>): ProviderAddresses {
  const { ASAAS_URL, WISE_URL, STRIPE_URL } = defaults[env.APP_ENV];
  return {
    ASAAS_URL: env.ASAAS_URL ?? ASAAS_URL,
    WISE_URL: env.WISE_URL ?? WISE_URL,
    WISE_VERSION: env.WISE_VERSION,
    WISE_PUBLIC_KEY: env.WISE_PUBLIC_KEY ?? wisePublicKeys[env.APP_ENV],
    STRIPE_URL: env.STRIPE_URL ?? STRIPE_URL,
  };
}

/** `host:port` of every provider, including the hosts that serve Asaas' files. */
export const providerHosts = [
  ...Object.values(defaults).flatMap((addresses) =>
    Object.values(addresses).map((address) => new URL(address).host),
  ),
  'www.asaas.com',
  'sandbox.asaas.com',
].map((host) => `${host}:443`);

/** Base URLs and verification keys of the providers in this deployment. */
export interface ProviderAddresses {
  /** Includes the version: ends in `/v3`. */
  ASAAS_URL: string;
  /** Without version. */
  WISE_URL: string;
  /** Calendar version of Wise's API, such as `2026Q3`. */
  WISE_VERSION: string;
  /** Wise's public key (PEM), which verifies its deliveries. */
  WISE_PUBLIC_KEY: string;
  /** Without version. */
  STRIPE_URL: string;
}

export interface ConnectionOptions {
  addresses: ProviderAddresses;
  log: Logger;
}
