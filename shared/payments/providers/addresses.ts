// Base URLs of the providers by environment. Contains only data, because the local stack imports it for its network rules.
import type { Env } from '../../platform/env.ts';
import type { Logger } from '../../platform/logger.ts';

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

/**
 * Public keys that verify Wise's deliveries in production and in its sandbox
 * (docs.wise.com/guides/developer/webhooks/event-handling).
 */
const wisePublicKeys = {
  production: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvO8vXV+JksBzZAY6GhSO
XdoTCfhXaaiZ+qAbtaDBiu2AGkGVpmEygFmWP4Li9m5+Ni85BhVvZOodM9epgW3F
bA5Q1SexvAF1PPjX4JpMstak/QhAgl1qMSqEevL8cmUeTgcMuVWCJmlge9h7B1CS
D4rtlimGZozG39rUBDg6Qt2K+P4wBfLblL0k4C4YUdLnpGYEDIth+i8XsRpFlogx
CAFyH9+knYsDbR43UJ9shtc42Ybd40Afihj8KnYKXzchyQ42aC8aZ/h5hyZ28yVy
Oj3Vos0VdBIs/gAyJ/4yyQFCXYte64I7ssrlbGRaco4nKF3HmaNhxwyKyJafz19e
HwIDAQAB
-----END PUBLIC KEY-----`,
  staging: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwpb91cEYuyJNQepZAVfP
ZIlPZfNUefH+n6w9SW3fykqKu938cR7WadQv87oF2VuT+fDt7kqeRziTmPSUhqPU
ys/V2Q1rlfJuXbE+Gga37t7zwd0egQ+KyOEHQOpcTwKmtZ81ieGHynAQzsn1We3j
wt760MsCPJ7GMT141ByQM+yW1Bx+4SG3IGjXWyqOWrcXsxAvIXkpUD/jK/L958Cg
nZEgz0BSEh0QxYLITnW1lLokSx/dTianWPFEhMC9BgijempgNXHNfcVirg1lPSyg
z7KqoKUN0oHqWLr2U1A+7kqrl6O2nx3CKs1bj1hToT1+p4kcMoHXA7kA+VBLUpEs
VwIDAQAB
-----END PUBLIC KEY-----`,
} as const;
