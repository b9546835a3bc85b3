/** The providers that lists can be asked for; which of them are connected is another matter (`create-providers.ts`). */
export const providerNames = ['sandbox', 'asaas', 'wise', 'stripe'] as const;
export type ProviderName = (typeof providerNames)[number];
