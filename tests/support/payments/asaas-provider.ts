/** Our Asaas adapter in tests, connected to an account in the fake, with orders to send. */
import { randomUUID } from 'node:crypto';
import type { AccountOrder, Asaas } from '../../../local/providers/asaas/index.ts';
import { createAsaasProvider } from '../../../shared/payments/providers/asaas/provider.ts';
import type { ChargeOrder } from '../../../shared/payments/providers/charge-port.ts';
import type { OrderReport } from '../../../shared/payments/providers/order-report.ts';
import type { PayoutOrder } from '../../../shared/payments/providers/payout-port.ts';
import type { ConnectedProvider } from '../../../shared/payments/providers/provider.ts';
import type { TaxDocumentOrder } from '../../../shared/payments/providers/tax-document-port.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { type AsaasClient, asaasClient, TOKEN } from './asaas.ts';

/** Never aborted. */
export const patient = new AbortController().signal;

interface ConnectedAsaas extends Omit<AsaasClient, 'asaas'> {
  asaas: Asaas;
  provider: ConnectedProvider;
  chargeOrder(change?: Partial<ChargeOrder>): Promise<ChargeOrder>;
  payoutOrder(change?: Partial<PayoutOrder>): Promise<PayoutOrder>;
  taxDocumentOrder(change?: Partial<TaxDocumentOrder>): Promise<TaxDocumentOrder>;
}

/** Creates an account in a running fake. */
export async function connectAsaas(
  asaas: Asaas,
  {
    account: order,
    settings = {},
    tenantId = 'ten_1',
  }: {
    account?: AccountOrder;
    settings?: Record<string, unknown>;
    tenantId?: string;
  } = {},
): Promise<ConnectedAsaas> {
  const client = await asaasClient(asaas, order);
  const provider = createAsaasProvider(
    {
      id: 'pacc_1',
      tenantId,
      provider: 'asaas',
      key: client.account.apiKey,
      webhookSecret: TOKEN,
      settings,
    },
    {
      addresses: {
        ASAAS_URL: asaas.url,
        WISE_URL: '',
        WISE_VERSION: '',
        WISE_PUBLIC_KEY: '',
        STRIPE_URL: '',
      },
      log: silentLogger,
    },
  );
  const now = async () => new Date(await asaas.control.now());
  const inAnHour = async () => new Date((await now()).getTime() + 3_600_000);
  return {
    asaas,
    ...client,
    provider,
    chargeOrder: async (change = {}) => ({
      reference: `inv_${randomUUID()}`,
      providerReference: undefined,
      createdAt: await now(),
      amountMinor: 10_000,
      currency: 'BRL',
      region: 'br',
      method: 'pix',
      description: 'Consultoria',
      customer: ANA,
      expiresAt: await inAnHour(),
      returnUrl: undefined,
      ...change,
    }),
    payoutOrder: async (change = {}) => ({
      reference: `po_${randomUUID()}`,
      providerReference: undefined,
      createdAt: await now(),
      amountMinor: 2_500,
      currency: 'BRL',
      kind: 'pix',
      beneficiary: beneficiary({ type: 'pix', key_type: 'email', key: 'bia@demo.example' }),
      description: 'PAY-2026-000001',
      ...change,
    }),
    taxDocumentOrder: async (change = {}) => ({
      reference: `nf_${randomUUID()}`,
      providerReference: undefined,
      issuer: { tenantId: randomUUID(), name: 'Acme', timeZone: 'America/Sao_Paulo' },
      serviceCode: 'consulting',
      taxes: {},
      amountMinor: 10_000,
      description: 'Consultoria de vendas',
      customer: ANA,
      charge: undefined,
      effectiveOn: await client.day(),
      ...change,
    }),
  };
}

export const ANA = {
  country: 'BR',
  name: 'Ana Lima',
  email: 'ana@demo.example',
  tax_id: '24971563792',
  phone: '+5511987654321',
};

export const beneficiary = (bank_account: PayoutOrder['beneficiary']['bank_account']) => ({
  name: 'Bia Melo',
  document: '52998224725',
  phone: '+5511987654321',
  bank_account,
});

/** All movements other than the charge, without zero amounts. */
export function adjusted(report: OrderReport | undefined): Record<string, number> {
  const sums: Record<string, number> = {};
  const moved = (report?.refunds ?? []).flatMap((refund) =>
    [refund.moved ?? [], refund.returned ?? []].flat(),
  );
  const totals = [
    ...(report?.adjustments ?? []),
    ...moved.map((change) => ({ reason: 'refund', ...change })),
  ];
  for (const { reason, amountMinor } of totals)
    if (amountMinor !== 0) sums[reason] = (sums[reason] ?? 0) + amountMinor;
  return sums;
}
