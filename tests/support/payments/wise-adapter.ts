/** Our Wise adapter with the fake, over HTTP. */

import type { AccountOrder, Wise } from '../../../local/providers/wise/index.ts';
import type { PayoutOrder } from '../../../shared/payments/providers/payout-port.ts';
import type { ConnectedProvider } from '../../../shared/payments/providers/provider.ts';
import { createWiseProvider } from '../../../shared/payments/providers/wise/provider.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { type WiseClient, wiseClient } from './wise.ts';

export interface WiseAdapter extends Omit<WiseClient, 'wise'> {
  provider: ConnectedProvider;
  /** Its log messages in order. */
  logged: { level: string; message: string; fields: Record<string, unknown> }[];
}

/** Never aborts. */
export const PATIENT = new AbortController().signal;

/** An adapter with its own account. Pays from EUR, with a balance of 10 000, unless specified otherwise. */
export async function wiseAdapter(
  wise: Wise,
  {
    sourceCurrency = 'EUR',
    profileId,
    url = wise.url,
    ...order
  }: AccountOrder & { sourceCurrency?: string; profileId?: string | number; url?: string } = {},
): Promise<WiseAdapter> {
  const client = await wiseClient(wise, { balances: { EUR: 10_000 }, ...order });
  const { logged, log } = rememberingLogger();
  const provider = createWiseProvider(
    {
      id: `pacc_${client.account.id}`,
      tenantId: '0190a1b2-0000-7000-8000-000000000001',
      provider: 'wise',
      key: client.account.token,
      webhookSecret: null,
      settings: { profile_id: profileId ?? client.account.profile, source_currency: sourceCurrency },
    },
    {
      addresses: {
        ASAAS_URL: 'http://127.0.0.1:1/v3',
        WISE_URL: url,
        WISE_VERSION: '2026Q3',
        WISE_PUBLIC_KEY: wise.publicKey,
        STRIPE_URL: 'http://127.0.0.1:1',
      },
      log,
    },
  );
  return { ...client, provider, logged };
}

function rememberingLogger(): { log: Logger; logged: WiseAdapter['logged'] } {
  const logged: WiseAdapter['logged'] = [];
  const keep =
    (level: string): Logger['info'] =>
    (message, fields = {}) =>
      void logged.push({ level, message, fields });
  const log: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    with: () => log,
  };
  return { log, logged };
}

let orders = 0;

type Change = Partial<Omit<PayoutOrder, 'beneficiary'>> & {
  person?: Partial<Omit<PayoutOrder['beneficiary'], 'bank_account'>>;
  account?: object;
};

/** EUR 100 to Ann Lee's account in Germany, unless specified otherwise. Each is a separate payout. */
export function payoutOrder({ person = {}, account, ...change }: Change = {}): PayoutOrder {
  orders += 1;
  return {
    reference: `po_${process.pid}_${Date.now()}_${orders}`,
    providerReference: undefined,
    createdAt: new Date(),
    amountMinor: 100_00,
    currency: 'EUR',
    kind: 'international',
    description: 'Payout 12',
    ...change,
    beneficiary: {
      name: 'Ann Lee',
      document: 'X123',
      phone: '+4915112345678',
      type: 'person',
      ...person,
      bank_account: {
        type: 'bank_transfer',
        country: 'DE',
        ...(account ?? { iban: 'DE89370400440532013000' }),
      },
    },
  };
}
