/** The accounts for the suite: created from a key and its settings, for any URL of the provider. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { dayInSaoPaulo } from '../../shared/payments/formats/sao-paulo.ts';
import { createProviders } from '../../shared/payments/provider-registry/set-up-providers.ts';
import type { ProviderAccount } from '../../shared/payments/providers/accounts.ts';
import type { ChargeOrder, PaymentMethod } from '../../shared/payments/providers/charge-port.ts';
import type { ProviderAddresses } from '../../shared/payments/providers/definition.ts';
import type { PayoutOrder } from '../../shared/payments/providers/payout-port.ts';
import type { ConnectedProvider } from '../../shared/payments/providers/provider.ts';
import type { TaxDocumentOrder } from '../../shared/payments/providers/tax-document-port.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { patient, type Stage, type Subject } from './subject.ts';

export interface VendorAccount {
  provider: ProviderAccount['provider'];
  key: string;
  settings: Record<string, unknown>;
  addresses: ProviderAddresses;
  /** The URL of the webhook. Without it, no webhook is created. */
  callbackUrl?: string | undefined;
  stage?: Stage;
}

const HOUR_MS = 3_600_000;
const REGIONS: Record<string, string> = { BRL: 'br', USD: 'us', EUR: 'eu' };

export async function vendorSubject(options: VendorAccount): Promise<Subject> {
  const { provider: name, key, settings, addresses, callbackUrl: url, stage } = options;
  const providers = createProviders(undefined, { addresses, log: silentLogger });
  // Of the length that each provider requires.
  const secret = `${randomUUID()}${randomUUID()}`.replaceAll('-', '');
  const as = (change: Partial<ProviderAccount>): Promise<ConnectedProvider> =>
    providers.connect({
      ...{ id: 'pacc_conformance', tenantId: 'conformance', provider: name, key, settings },
      // Stripe generates one when the webhook is created.
      ...{ webhookSecret: name === 'stripe' ? null : secret },
      ...change,
    });
  const provider = await as({});
  const { capabilities, balances } = await provider.inspectAccount(patient);
  const currency = name === 'asaas' ? 'BRL' : (balances[0]?.currency ?? 'USD');
  const otherwise = (of: string, reason: string | null) =>
    currency === of ? reason : `not in ${currency}, which the account has`;
  return {
    provider,
    account: {
      provider,
      as,
      webhook: url ? { url, secret, email: 'ops@example.com', reference: undefined } : undefined,
    },
    capabilities: {
      ...capabilities,
      ach_debit: otherwise('USD', capabilities.ach_debit),
      sepa_debit: otherwise('EUR', capabilities.sepa_debit),
    },
    ...ordersIn(currency),
    stage,
    payer: stage ? (order) => stage.pay(order).then(() => stage.later()) : sandboxPayer(options),
  };
}

/** Asaas' sandbox confirms a charge on request. Stripe's pages are submitted by people, and Wise has no charges. */
function sandboxPayer({ provider, key, addresses }: VendorAccount): Subject['payer'] {
  if (provider !== 'asaas') return undefined;
  return async ({ providerReference }) => {
    const { status } = await fetch(`${addresses.ASAAS_URL}/sandbox/payment/${providerReference}/confirm`, {
      method: 'POST',
      headers: { access_token: key, 'User-Agent': 'Placar' },
    });
    assert.equal(status, 200, 'the sandbox does not confirm the charge');
  };
}

/** Orders in the currency of an account, with a payer from the matching country. */
export function ordersIn(currency: string): Pick<Subject, 'charge' | 'payout' | 'taxDocument'> {
  const country = { BRL: 'BR', USD: 'US' }[currency] ?? 'DE';
  const customer = {
    country,
    name: 'Ana Lima',
    email: 'ana@example.com',
    tax_id: country === 'BR' ? '24971563792' : undefined,
  };
  return {
    charge: (method: PaymentMethod): ChargeOrder => ({
      ...named('inv'),
      amountMinor: 1234,
      currency,
      region: REGIONS[currency] ?? 'eu',
      method,
      description: 'Conformance',
      customer,
      expiresAt: new Date(Date.now() + 3 * HOUR_MS),
      returnUrl: undefined,
    }),
    payout: (): PayoutOrder => {
      const person = { name: 'Ana Lima', document: '24971563792', phone: '+5511987654321' };
      const pix = currency === 'BRL';
      return {
        ...named('po'),
        amountMinor: 1234,
        currency: pix ? 'BRL' : 'EUR',
        kind: pix ? 'pix' : 'international',
        beneficiary: {
          ...person,
          type: 'person',
          bank_account: pix
            ? { type: 'pix', key_type: 'email', key: `${randomUUID()}@example.com` }
            : { type: 'bank_transfer', country: 'DE', iban: 'DE89370400440532013000' },
        },
        description: 'Conformance',
      };
    },
    taxDocument: (): TaxDocumentOrder => {
      const { reference, providerReference } = named('nf');
      return {
        ...{ reference, providerReference, serviceCode: '1.01', amountMinor: 1234, taxes: {} },
        issuer: { tenantId: randomUUID(), name: 'Conformance', timeZone: 'America/Sao_Paulo' },
        ...{ description: 'Conformance', customer, charge: undefined },
        // An hour ahead: around midnight, the fake's clock is already on the next day.
        effectiveOn: dayInSaoPaulo(new Date(Date.now() + HOUR_MS)),
      };
    },
  };
}

const named = (prefix: string) => ({
  reference: `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 26)}`,
  providerReference: undefined,
  createdAt: new Date(),
});
