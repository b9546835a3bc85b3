import { oneOf } from '../../platform/lists/filters.ts';

/** The providers that lists can be asked for; which of them are connected is another matter (`provider-registry/`). */
export const providerNames = ['sandbox', 'asaas', 'wise', 'stripe'] as const;
export type ProviderName = (typeof providerNames)[number];

/** Of lists: one of the providers, whether it is connected here or not. */
export const providerFilter = oneOf('provider', providerNames);
