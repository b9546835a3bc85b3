// The contract of providers, tested with each adapter and its emulator over HTTP.
import { afterAll, describe, expect, test } from 'vitest';
import { startAsaas } from '../../../../local/providers/asaas/index.ts';
import { startStripe } from '../../../../local/providers/stripe/index.ts';
import { startWise } from '../../../../local/providers/wise/index.ts';
import { checkConformance } from '../../../conformance/run.ts';
import { vendorSubject } from '../../../conformance/vendors.ts';
import { startReceiver } from '../../../support/payments/vendor-receiver.ts';
import { asaasAccount, stripeAccount, wiseAccount } from '../../../support/payments/vendor-stages.ts';

const [asaas, wise, stripe] = await Promise.all([startAsaas(), startWise(), startStripe()]);
/** The receiver of webhooks. Wise calls it when it subscribes. */
const receiver = await startReceiver();
afterAll(async () => {
  receiver.close();
  await Promise.all([asaas.stop(), wise.stop(), stripe.stop()]);
});

/** Capabilities of each provider in addition to those of every account. */
const accounts = {
  Asaas: { account: () => asaasAccount(asaas), charges: ['pix', 'boleto', 'bolepix', 'card'] },
  Wise: { account: () => wiseAccount(wise), charges: [] },
  'Stripe in the US': {
    account: () => stripeAccount(stripe),
    charges: ['card', 'ach_debit', 'bank_transfer'],
  },
  'Stripe in the EU': {
    account: () => stripeAccount(stripe, { country: 'DE', currency: 'eur' }),
    charges: ['card', 'sepa_debit', 'bank_transfer'],
  },
};

describe.each(Object.entries(accounts))('%s', (_, { account, charges }) => {
  test('all checks that are possible pass', async () => {
    const results = await checkConformance(
      await vendorSubject({ ...(await account()), callbackUrl: receiver.url }),
    );
    expect(results.filter(({ outcome }) => outcome === 'did not hold')).toEqual([]);
    const held = results.filter(({ outcome }) => outcome === 'held').map(({ name }) => name);
    expect(held.flatMap((name) => name.match(/^(\w+): a charge/)?.[1] ?? [])).toEqual(charges);
    // Those that only apply to providers with accounts.
    expect(held.length).toBeGreaterThan(12);
  });
});
