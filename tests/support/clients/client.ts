// The TypeScript client in tests: a tenant with an API key and an OAuth client, and short delays.
import type postgres from 'postgres';
import { inject } from 'vitest';
import { Placar, type PlacarOptions } from '../../../clients/typescript/src/index.ts';
import type { NewInvoice, NewPayout } from '../../../clients/typescript/src/payments.ts';
import { createTenant } from '../database.ts';
import { createOAuthClient } from '../oauth.ts';

export interface Credentials {
  tenantId: string;
  apiKey: string;
  clientId: string;
  clientSecret: string;
}

/** A new tenant with an API key and an OAuth client that have all scopes. */
export async function createCredentials(sql: postgres.Sql): Promise<Credentials> {
  const scopes = ['default:sync', 'payments:read', 'payments:write'];
  const { id, apiKey } = await createTenant(sql, { scopes });
  const client = await createOAuthClient(sql, id, { scopes: ['admin'] });
  return { tenantId: id, apiKey, clientId: client.client_id, clientSecret: client.client_secret };
}

export function connect(credentials: Partial<Credentials>, options: Partial<PlacarOptions> = {}): Placar {
  const { apiKey, clientId, clientSecret } = credentials;
  return new Placar({
    url: inject('stack').base_url,
    apiKey,
    clientId,
    clientSecret,
    retryDelayMs: 10,
    ...options,
  });
}

export const newInvoice = (): NewInvoice => ({
  customer: { country: 'BR', tax_id: '52998224725', name: 'Maria Silva', email: 'maria@example.com' },
  amount: 10000,
  currency: 'BRL',
  description: 'Consulta – José',
  payment_method: { type: 'pix' },
});

export const newPayout = (): NewPayout => ({
  beneficiary: {
    name: 'Ana Souza',
    document: '39053344705',
    phone: '+5511987654321',
    bank_account: { type: 'pix', key_type: 'email', key: 'ana@example.com' },
  },
  amount: 5000,
  currency: 'BRL',
  purpose: 'prize',
});
