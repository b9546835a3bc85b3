// Which provider takes what: choosing one is data.
import { ApiError } from '../../platform/errors.ts';
import type { ProviderName } from './names.ts';
import type { PaymentMethod, PaymentProvider } from './provider.ts';

interface Route {
  kind: 'charge' | 'payout' | 'tax_document';
  region: 'br' | 'us' | 'eu' | '*';
  currency: string;
  provider: ProviderName;
}

/** In order of preference; the first row whose provider is set up takes it. */
const routes: Route[] = [
  { kind: 'charge', region: 'br', currency: 'BRL', provider: 'sandbox' },
  { kind: 'tax_document', region: 'br', currency: 'BRL', provider: 'sandbox' },
  { kind: 'payout', region: '*', currency: '*', provider: 'sandbox' },
];

/** The methods of each region. A method outside its region's row is the caller's mistake, whether the region is live or not. */
export const methodsByRegion = {
  br: ['pix', 'boleto', 'bolepix', 'card'] satisfies PaymentMethod[],
  us: ['card', 'ach_debit', 'bank_transfer'],
  eu: ['card', 'sepa_debit', 'bank_transfer'],
} satisfies Record<string, readonly string[]>;

export interface Providers {
  /** Throws 501 when nobody takes it. */
  choose(kind: Route['kind'], region: string | undefined, currency: string): PaymentProvider;
  /** The provider that took something before. */
  named(name: string): PaymentProvider;
  has(name: string): boolean;
}

export function createProviders(providers: PaymentProvider[]): Providers {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  return {
    choose(kind, region, currency) {
      const route = routes.find(
        (row) =>
          row.kind === kind &&
          (row.region === '*' || row.region === region) &&
          (row.currency === '*' || row.currency === currency) &&
          byName.has(row.provider),
      );
      const provider = route && byName.get(route.provider);
      if (provider) return provider;
      throw new ApiError('provider_not_configured', `No provider takes ${currency} in this region yet.`);
    },
    named(name) {
      const provider = byName.get(name);
      if (!provider)
        throw new ApiError('provider_not_configured', `The provider ${name} is not set up here.`);
      return provider;
    },
    has: (name) => byName.has(name),
  };
}
