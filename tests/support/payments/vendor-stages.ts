/** Accounts at the fakes for the conformance suite, with simulated payers and faults. */
import type { Asaas } from '../../../local/providers/asaas/index.ts';
import type { Stripe } from '../../../local/providers/stripe/index.ts';
import type { Wise } from '../../../local/providers/wise/index.ts';
import type { VendorAccount } from '../../conformance/vendors.ts';

export async function asaasAccount({ url, control }: Asaas): Promise<VendorAccount> {
  const { id, apiKey } = await control.createAccount({
    balance: 100,
    options: { criticalAuthorization: 'off' },
  });
  const paths = { charge: '/v3/payments', payout: '/v3/transfers' };
  return {
    provider: 'asaas',
    key: apiKey,
    settings: { municipal_service_code: '1.01', municipal_service_name: 'Software' },
    addresses: { ASAAS_URL: url },
    stage: {
      pay: ({ providerReference }) => control.pay(id, providerReference),
      silence: (kind) => control.fault({ kind: 'cut_after', method: 'POST', path: paths[kind], account: id }),
      refuseOne: () => control.fault({ kind: 'rate_limited', account: id }),
      later: () => control.advance({ minutes: 1 }),
    },
  };
}

export async function wiseAccount({ url, publicKey, control }: Wise): Promise<VendorAccount> {
  const { id, token, profile } = await control.createAccount({ balances: { EUR: 100 } });
  return {
    provider: 'wise',
    key: token,
    settings: { profile_id: profile, source_currency: 'EUR' },
    addresses: { WISE_URL: url, WISE_VERSION: '2026Q3', WISE_PUBLIC_KEY: publicKey },
    stage: {
      pay: () => Promise.reject(new Error('Wise does not support charges.')),
      silence: () => control.fault({ kind: 'cut_after', method: 'POST', path: '/*/transfers', account: id }),
      refuseOne: () => control.fault({ kind: 'rate_limited', account: id }),
      later: () => control.advance({ minutes: 1 }),
    },
  };
}

export async function stripeAccount(
  { url, control }: Stripe,
  order: { country: string; currency: string } = { country: 'US', currency: 'usd' },
): Promise<VendorAccount> {
  const { id, apiKey } = await control.createAccount(order);
  return {
    provider: 'stripe',
    key: apiKey,
    settings: {},
    addresses: { STRIPE_URL: url },
    stage: {
      pay: ({ providerReference }) => control.pay(id, providerReference),
      silence: () =>
        control.fault({ kind: 'cut_after', method: 'POST', path: '/v1/checkout/sessions', account: id }),
      refuseOne: () => control.fault({ kind: 'rate_limited', account: id }),
      later: () => control.advance({ minutes: 1 }),
    },
  };
}
