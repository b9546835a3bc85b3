// `npm run check:provider`, run as a person does, with the emulators over HTTP.
import { afterAll, describe, expect, test } from 'vitest';
import { startAsaas } from '../../../../local/providers/asaas/index.ts';
import { startStripe } from '../../../../local/providers/stripe/index.ts';
import { startWise } from '../../../../local/providers/wise/index.ts';
import { runCheckProvider } from '../../../support/payments/run-check-provider.ts';
import { startReceiver } from '../../../support/payments/vendor-receiver.ts';

const [asaas, wise, stripe] = await Promise.all([startAsaas(), startWise(), startStripe()]);
const receiver = await startReceiver();
afterAll(async () => {
  receiver.close();
  await Promise.all([asaas.stop(), wise.stop(), stripe.stop()]);
});

/** The URL of webhooks is that of the receiver. */
const checkProvider = (names: string[], env: Record<string, string>) =>
  runCheckProvider(names, { PROVIDER_CALLBACK_URL: receiver.url, ...env });

describe('a sandbox key', () => {
  test('of Asaas: all free checks pass, and no charge or webhook is left', async () => {
    const { id, apiKey } = await asaas.control.createAccount({ balance: 100 });
    const { code, out } = await checkProvider(['asaas'], { PROVIDER_KEY: apiKey, ASAAS_URL: asaas.url });
    expect([out, code]).toEqual([expect.stringContaining(' 0 did not hold'), 0]);
    expect(out).toContain('held          boleto: a charge has what the payer needs');
    expect(out).toMatch(/not asked {5}a charge that was paid .*\n {14}moves money or needs a fault/);
    expect(out).toContain('held          a refund is made once, in part');
    expect(out).toContain('held          lists and the statement since a day to come are empty');
    expect(out).not.toContain(apiKey);
    const { payments, webhooks, transfers } = await asaas.control.account(id);
    expect(payments.length).toBeGreaterThan(4);
    // One was paid and partially refunded.
    const left = payments.filter(({ deleted }) => !deleted);
    expect(left.map(({ status, refunds }) => [status, refunds.length])).toEqual([['RECEIVED', 1]]);
    expect([webhooks, transfers]).toEqual([[], []]);
  });

  test('of Wise: transfers are canceled, and no subscription is left', async () => {
    const { id, token, profile } = await wise.control.createAccount({ balances: { EUR: 50 } });
    const settings = { profile_id: profile, source_currency: 'EUR' };
    const { code, out } = await checkProvider(['wise'], {
      PROVIDER_KEY: token,
      PROVIDER_SETTINGS: JSON.stringify(settings),
      WISE_URL: wise.url,
    });
    expect([out, code]).toEqual([expect.stringContaining(' 0 did not hold'), 0]);
    const { transfers, subscriptions } = await wise.control.account(id);
    expect(transfers.map(({ states }) => states.at(-1))).toEqual(['cancelled']);
    expect(subscriptions).toEqual([]);
  });

  test('of Stripe: pages are closed, and no endpoint is left', async () => {
    const { id, apiKey } = await stripe.control.createAccount({ country: 'US', currency: 'usd' });
    const { code, out } = await checkProvider(['stripe'], { PROVIDER_KEY: apiKey, STRIPE_URL: stripe.url });
    expect([out, code]).toEqual([expect.stringContaining(' 0 did not hold'), 0]);
    const { sessions, endpoints } = await stripe.control.account(id);
    expect(sessions.length).toBeGreaterThan(3);
    expect(sessions.filter(({ status }) => status === 'open')).toEqual([]);
    expect(endpoints).toEqual([]);
  });
});

test('a failed check is reported, and the command fails', async () => {
  const { apiKey } = await asaas.control.createAccount({ options: { artifacts: 'bad_crc' } });
  const { code, out } = await checkProvider(['asaas'], { PROVIDER_KEY: apiKey, ASAAS_URL: asaas.url });
  expect(code).toBe(1);
  expect(out).toMatch(/did not hold {2}pix: a charge .*\n {14}.*checksum of the PIX text/);
});

test('production keys, other providers and a missing key are rejected before any request', async () => {
  await asaas.control.forgetRequests();
  const ASAAS_URL = asaas.url;
  const refused: [string[], Record<string, string>, RegExp][] = [
    [['asaas'], { PROVIDER_KEY: '$aact_prod_0123456789abcdef' }, /no key of asaas's sandbox/],
    [['stripe'], { PROVIDER_KEY: 'rk_live_0123456789abcdef' }, /no key of stripe's sandbox/],
    [
      ['wise'],
      { PROVIDER_KEY: 'some-token', WISE_URL: 'https://api.wise.com' },
      /address is one of production/,
    ],
    [['paypal'], { PROVIDER_KEY: '$aact_hmlg_0123456789abcdef' }, /check:provider -- asaas\|wise\|stripe/],
    [['asaas'], {}, /PROVIDER_KEY/],
  ];
  const runs = await Promise.all(
    refused.map(([names, env]) =>
      checkProvider(names, { ASAAS_URL, PROVIDER_SETTINGS: '{"profile_id": 1}', ...env }),
    ),
  );
  refused.forEach(([names, env, words], at) => {
    expect([names, env, runs[at]?.code, runs[at]?.out]).toEqual([
      names,
      env,
      1,
      expect.stringMatching(words),
    ]);
    for (const value of [env.PROVIDER_KEY].filter(Boolean)) expect(runs[at]?.out).not.toContain(value);
  });
  expect(await asaas.control.requests()).toEqual([]);
});
