// Stripe: charges in the US and Europe, and cards in Brazil. Its fake: `local/providers/stripe/`.
import type { ProviderDefinition, ProviderRoute } from '../definition.ts';

/** Staging uses test keys at the same URL. */
const addresses = { STRIPE_URL: 'https://api.stripe.com' };

const charge = { kind: 'charge', method: null, preference: 1, minAmount: 50, maxAmount: 99_999_999 } as const;
const routes: ProviderRoute[] = [
  { ...charge, region: 'br', currency: 'BRL', method: 'card', preference: 2 },
  { ...charge, region: 'us', currency: 'USD' },
  { ...charge, region: 'eu', currency: 'EUR' },
];

export const stripe: ProviderDefinition = {
  name: 'stripe',
  title: 'Stripe',
  addresses: { production: addresses, staging: addresses },
  fileHosts: [],
  keyMember: 'api_key',
  settings: [],
  extras: [],
  routes,
  requires: [],
  hasDueTerms: false,
  pagesExpire: true,
  load: async () => (await import('./provider.ts')).createStripeProvider,
};
