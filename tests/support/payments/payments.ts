// Calls payments as an integration does.
import { inject } from 'vitest';
import { signRequest } from '../../../shared/platform/access/api-keys.ts';
import type { Reply } from '../gamification/sync.ts';
import { UNCOMPRESSED } from '../wire/uncompressed.ts';

export interface PayCallOptions {
  method?: string;
  key?: string | null;
  headers?: Record<string, string>;
  baseUrl?: string;
}

/** Sends a signed request. `path` is below `/payments` and includes the query. POSTs have a new Idempotency-Key by default. */
export async function pay(
  apiKey: string,
  path: string,
  body?: unknown,
  options: PayCallOptions = {},
): Promise<Reply> {
  const {
    method = body === undefined ? 'GET' : 'POST',
    key,
    headers = {},
    baseUrl = `${inject('stack').base_url}/functions/v1`,
  } = options;
  const target = `/payments${path}`;
  const text =
    body === undefined || body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = signRequest(apiKey, { timestamp, method, target, body: new TextEncoder().encode(text) });
  const idempotencyKey =
    method === 'POST' && key !== null ? { 'Idempotency-Key': key ?? crypto.randomUUID() } : {};
  const response = await fetch(`${baseUrl}${target}`, {
    method,
    headers: {
      ...UNCOMPRESSED,
      Authorization: `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}`,
      ...(text && { 'Content-Type': 'application/json' }),
      ...idempotencyKey,
      ...headers,
    },
    ...(text && { body: text }),
  });
  const answer = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: answer ? JSON.parse(answer) : undefined,
  };
}

export const PAYMENT_SCOPES = ['payments:read', 'payments:write'];

/** The codes of IBS and CBS, which become required on a certain date. */
export const TAX_CODES = {
  nbs_code: '1.1502.10.00',
  tax_situation_code: '000',
  tax_classification_code: '000001',
  operation_indicator_code: '100301',
};

export const invoice = (more: Record<string, unknown> = {}) => ({
  customer: { country: 'BR', tax_id: '52998224725', name: 'Maria Silva', email: 'maria@example.com' },
  amount: 10000,
  currency: 'BRL',
  description: 'Consulta – José',
  payment_method: { type: 'pix' },
  ...more,
});

export const pixPayout = (more: Record<string, unknown> = {}) => ({
  beneficiary: {
    name: 'Ana Souza',
    document: '39053344705',
    phone: '+5511987654321',
    bank_account: { type: 'pix', key_type: 'email', key: 'ana@example.com' },
  },
  amount: 5000,
  currency: 'BRL',
  purpose: 'prize',
  ...more,
});

export const transferPayout = (more: Record<string, unknown> = {}) => ({
  beneficiary: {
    name: 'Ann Lee',
    document: 'X1234567',
    phone: '+4915112345678',
    bank_account: { type: 'bank_transfer', country: 'DE', iban: 'DE89370400440532013000' },
  },
  amount: 5000,
  currency: 'EUR',
  purpose: 'commission',
  ...more,
});
