// Asaas: charges, refunds, payouts and tax documents in Brazil. Its fake: `local/providers/asaas/`. What is outside this folder is listed in
// CONTRIBUTING.md (add a payment provider).
import type { ProviderDefinition } from '../definition.ts';

const brazil = {
  region: 'br',
  currency: 'BRL',
  method: null,
  preference: 1,
  minAmount: null,
  maxAmount: null,
} as const;

export const asaas: ProviderDefinition = {
  name: 'asaas',
  title: 'Asaas',
  addresses: {
    production: { ASAAS_URL: 'https://api.asaas.com/v3' },
    staging: { ASAAS_URL: 'https://api-sandbox.asaas.com/v3' },
  },
  fileHosts: ['www.asaas.com', 'sandbox.asaas.com'],
  keyMember: 'api_key',
  settings: [{ name: 'municipal_service_code' }, { name: 'municipal_service_name' }],
  extras: [{ name: 'withdrawal_token', as: 'secret' }],
  routes: [
    { ...brazil, kind: 'charge', minAmount: 500 },
    { ...brazil, kind: 'charge', method: 'card', minAmount: 500 },
    { ...brazil, kind: 'tax_document' },
    { ...brazil, kind: 'payout', region: '*' },
  ],
  requires: ['customer.tax_id'],
  hasDueTerms: true,
  pagesExpire: false,
  load: async () => (await import('./provider.ts')).createAsaasProvider,
};
