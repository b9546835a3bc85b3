// The providers of this deployment, and what follows from their definitions. Loads no adapter.
import type { Env } from '../../platform/env.ts';
import { oneOf } from '../../platform/lists/filters.ts';
import { asaas } from '../providers/asaas/index.ts';
import type { ProviderAddresses, ProviderDefinition } from '../providers/definition.ts';
import { stripe } from '../providers/stripe/index.ts';
import { wise } from '../providers/wise/index.ts';

export const providers: readonly ProviderDefinition[] = [asaas, wise, stripe];

/** The definition of a provider. Undefined for the sandbox and for unknown names. */
export const providerNamed = (name: string | null): ProviderDefinition | undefined =>
  providers.find((provider) => provider.name === name);

/** All providers, whether or not they are set up here. */
export const providerNames: readonly [string, ...string[]] = [
  'sandbox',
  ...providers.map(({ name }) => name),
];

/** The names of providers in a sentence. */
export const providerChoice: string = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  providers.map(({ name }) => name).sort(),
);

/** List filter by provider. */
export const providerFilter = oneOf('provider', providerNames);

/** Whether a provider, or the sandbox, supports due dates with fines, interest and discounts. */
export const hasDueTerms = (name: string | null): boolean =>
  name === 'sandbox' || providerNamed(name)?.hasDueTerms === true;

/** The addresses from the environment variables, with defaults by environment. */
export function addressesOf(env: Env<'app' | 'providers'>): ProviderAddresses {
  const defaults = providers.flatMap(({ addresses }) => Object.entries(addresses[env.APP_ENV]));
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'APP_ENV',
  );
  return Object.fromEntries([...defaults, ...given]);
}

/** `host:port` of every provider. */
export const providerHosts: readonly string[] = providers
  .flatMap(({ addresses: { production, staging }, fileHosts }) => [
    ...[...Object.values(production), ...Object.values(staging)]
      .filter((address) => URL.canParse(address))
      .map((address) => new URL(address).host),
    ...fileHosts,
  ])
  .map((host) => `${host}:443`);
