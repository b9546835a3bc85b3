// Which provider gets an order: global and tenant routes, capabilities of accounts, amounts, and the errors if there is none.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { describe, expect, inject, test } from 'vitest';
import type { FunctionName } from '../../../functions/manifest.ts';
import { startFunction } from '../../../local/functions.ts';
import { connectDatabase, createApiKey, type Tenant } from '../../support/database.ts';
import { inTransaction, refusal } from '../../support/gamification/gamification.ts';
import { bodyOf, createPayTenant, faultsOf } from '../../support/payments/payment-flows.ts';
import { invoice, PAYMENT_SCOPES, pay } from '../../support/payments/payments.ts';

const sql = connectDatabase();

const CAN = {
  ...{ pix: null, boleto: null, card: null, payout: null, tax_document: null },
  ...{ ach_debit: null, sepa_debit: null, bank_transfer: null },
};

type Sql = postgres.Sql | postgres.TransactionSql;

/** An account that seems to be checked: nothing is sent to the provider here. */
async function account(
  tx: Sql,
  tenant: Tenant,
  provider: string,
  change: { status?: string; reason?: string | null; capabilities?: Record<string, string> } = {},
) {
  const key = `test_${crypto.randomUUID()}`;
  const [row] = await tx`
    select private.connect_account(${tenant.id}, ${provider}, ${key}, '{}') as id`;
  const { status = 'active', capabilities = {}, reason = null } = change;
  await tx`
    update provider_accounts set status = ${status}, reason = ${reason},
           capabilities = ${tx.json({ ...CAN, ...capabilities })}
    where id = ${row?.id}`;
  await tx`update jobs set due_at = '2999-01-01' where name = 'check-provider' and key = ${row?.id}`;
  return row?.id;
}

type Order = [kind: string, region: string, currency: string, method: string | null, amount?: number];

/** The provider, or the problem and its message. */
async function takes(tx: Sql, tenant: Tenant, [kind, region, currency, method, amount = 10_000]: Order) {
  const [row] = await tx`
    select provider, problem, detail
    from private.choose_provider(${tenant.id}, ${kind}, ${region}, ${currency}, ${method}, ${amount})`;
  return row?.problem ? `${row.problem}: ${row.detail}` : row?.provider;
}

const PIX: Order = ['charge', 'br', 'BRL', 'pix'];
const CARD: Order = ['charge', 'br', 'BRL', 'card'];
const ORDERS: Record<string, Order> = {
  pix: PIX,
  card: CARD,
  'card in the US': ['charge', 'us', 'USD', 'card'],
  'debit in the EU': ['charge', 'eu', 'EUR', 'sepa_debit'],
  'tax document': ['tax_document', 'br', 'BRL', null],
  'PIX payout': ['payout', 'br', 'BRL', null],
  'payout to Germany': ['payout', 'de', 'EUR', null],
};

/** The providers of each of these. */
async function taken(tx: Sql, tenant: Tenant) {
  const by: Record<string, unknown> = {};
  for (const [name, order] of Object.entries(ORDERS)) by[name] = await takes(tx, tenant, order);
  return by;
}

describe('default routes', () => {
  test('without accounts, the sandbox accepts what it supports in staging, and nothing in production', async () => {
    const tenant = await createPayTenant(sql);
    const connect = (what: string, provider: string) =>
      `not_configured: No provider is connected for ${what}. Connect ${provider}.`;
    const abroad = {
      'card in the US': connect('card charges in USD', 'stripe'),
      'debit in the EU': connect('sepa_debit charges in EUR', 'stripe'),
    };
    const inSandbox = ['pix', 'card', 'tax document', 'PIX payout', 'payout to Germany'];
    expect(await taken(sql, tenant)).toEqual({
      ...Object.fromEntries(inSandbox.map((name) => [name, 'sandbox'])),
      ...abroad,
    });
    await inTransaction(sql, async (tx) => {
      await tx`select admin.set_environment('production')`;
      expect(await taken(tx, tenant)).toEqual({
        ...abroad,
        pix: connect('pix charges in BRL', 'asaas'),
        card: connect('card charges in BRL', 'asaas or stripe'),
        'tax document': connect('tax documents', 'asaas'),
        'PIX payout': connect('payouts in BRL', 'asaas'),
        'payout to Germany': connect('payouts in EUR', 'wise'),
      });
    });
  });

  test('with accounts, each provider gets its own orders, in both environments', async () => {
    const tenant = await createPayTenant(sql);
    await inTransaction(sql, async (tx) => {
      for (const provider of ['asaas', 'wise', 'stripe']) await account(tx, tenant, provider);
      const each = {
        ...{ pix: 'asaas', card: 'asaas', 'tax document': 'asaas', 'PIX payout': 'asaas' },
        ...{ 'card in the US': 'stripe', 'debit in the EU': 'stripe', 'payout to Germany': 'wise' },
      };
      expect(await taken(tx, tenant)).toEqual(each);
      await tx`select admin.set_environment('production')`;
      expect(await taken(tx, tenant)).toEqual(each);
    });
  });

  test('an account without the capability is skipped; if no other can, its reason is returned', async () => {
    const tenant = await createPayTenant(sql);
    await inTransaction(sql, async (tx) => {
      await account(tx, tenant, 'asaas', { capabilities: { card: 'No cards.', pix: 'No Pix key.' } });
      expect(await takes(tx, tenant, CARD)).toBe('not_configured: asaas: No cards.');
      expect(await takes(tx, tenant, PIX)).toBe('not_configured: asaas: No Pix key.');
      // A boleto with a Pix code needs both capabilities.
      expect(await takes(tx, tenant, ['charge', 'br', 'BRL', 'bolepix'])).toBe(
        'not_configured: asaas: No Pix key.',
      );
      expect(await takes(tx, tenant, ['charge', 'br', 'BRL', 'boleto'])).toBe('asaas');
      await account(tx, tenant, 'stripe');
      expect(await takes(tx, tenant, CARD)).toBe('stripe');
    });
  });

  test.each(['connecting', 'failing'])(
    'one that is %s is tried again later, and never the sandbox',
    async (status) => {
      const tenant = await createPayTenant(sql);
      await inTransaction(sql, async (tx) => {
        const reason = status === 'failing' ? 'The key is off.' : null;
        await account(tx, tenant, 'asaas', { status, reason });
        const why = reason ?? 'The account at asaas is being connected.';
        expect(await takes(tx, tenant, PIX)).toBe(`not_ready: ${why}`);
        expect(await takes(tx, tenant, CARD)).toBe(`not_ready: ${why}`);
        await account(tx, tenant, 'stripe');
        expect(await takes(tx, tenant, CARD)).toBe('stripe');
      });
    },
  );

  test("amounts outside the provider's limits are errors of the amount", async () => {
    const tenant = await createPayTenant(sql);
    await inTransaction(sql, async (tx) => {
      for (const provider of ['asaas', 'stripe']) await account(tx, tenant, provider);
      const pix = (amount: number): Order => ['charge', 'br', 'BRL', 'pix', amount];
      const usd = (amount: number): Order => ['charge', 'us', 'USD', 'card', amount];
      expect(await takes(tx, tenant, pix(499))).toBe('amount: must be at least 500 for pix charges in BRL');
      expect(await takes(tx, tenant, pix(500))).toBe('asaas');
      expect(await takes(tx, tenant, usd(49))).toBe('amount: must be at least 50 for card charges in USD');
      expect(await takes(tx, tenant, usd(50))).toBe('stripe');
      expect(await takes(tx, tenant, usd(99_999_999))).toBe('stripe');
      expect(await takes(tx, tenant, usd(100_000_000))).toBe(
        'amount: must be at most 99999999 for card charges in USD',
      );
    });
  });
});

describe('routes of a tenant', () => {
  test('take precedence over the defaults, and those with a method over those without; an empty list restores the default', async () => {
    const [tenant, other] = [await createPayTenant(sql), await createPayTenant(sql)];
    await inTransaction(sql, async (tx) => {
      for (const one of [tenant, other])
        for (const provider of ['asaas', 'stripe']) await account(tx, one, provider);
      const [slug] = await tx`select slug from tenants where id = ${tenant.id}`;
      const route = (method: string | null, providers: string[]) =>
        tx`select admin.set_provider_route(${slug?.slug}, 'charge', 'br', 'BRL', ${method}, ${providers})`;
      const both = async (one: Tenant) => [await takes(tx, one, PIX), await takes(tx, one, CARD)];
      await route('card', ['stripe', 'asaas']);
      expect(await both(tenant)).toEqual(['asaas', 'stripe']);
      expect(await both(other)).toEqual(['asaas', 'asaas']);
      await route(null, ['sandbox']);
      expect(await both(tenant)).toEqual(['sandbox', 'stripe']);
      // The last route replaces the previous one.
      await route('card', ['asaas']);
      expect(await both(tenant)).toEqual(['sandbox', 'asaas']);
      await route('card', []);
      expect(await both(tenant)).toEqual(['sandbox', 'sandbox']);
      await route(null, []);
      expect(await both(tenant)).toEqual(['asaas', 'asaas']);
      const routes = await tx`select 1 from admin.provider_routes where tenant = ${slug?.slug}`;
      expect(routes).toEqual([]);
      // The minimum amount of a provider applies to the tenant's own route too.
      await route('card', ['stripe']);
      expect(await takes(tx, tenant, ['charge', 'br', 'BRL', 'card', 49])).toContain('must be at least 50');
    });
  });

  test('to the sandbox have no effect in production', async () => {
    const tenant = await createPayTenant(sql);
    await inTransaction(sql, async (tx) => {
      await tx`select admin.set_provider_route(${tenant.id}, 'charge', 'br', 'BRL', null, '{sandbox}')`;
      await tx`select admin.set_environment('production')`;
      expect(await takes(tx, tenant, PIX)).toMatch(/^not_configured: /);
      const refused = await refusal(
        tx,
        (sp) => sp`select admin.set_provider_route(${tenant.id}, 'charge', 'br', 'BRL', 'pix', '{sandbox}')`,
      );
      expect(refused).toContain('providers: the sandbox is only available in staging');
    });
  });

  test.each([
    ["'nobody', 'charge', 'br', 'BRL'", 'tenant: tenant "nobody" does not exist'],
    ["$1, 'refund', 'br', 'BRL'", 'kind: "refund" is unknown; allowed: charge, payout, tax_document'],
    ["$1, 'charge', 'Brazil', 'BRL'", 'region: is not a valid region; allowed: br, us, eu'],
    ["$1, 'charge', 'br', 'real'", 'currency: is not a valid currency'],
    [
      "$1, 'charge', 'br', 'BRL', 'cash', '{asaas}'",
      'method: "cash" is not a payment method; allowed: pix, boleto',
    ],
    ["$1, 'payout', 'br', 'BRL', 'pix', '{asaas}'", 'method: is only allowed for charges'],
    [
      "$1, 'charge', 'br', 'BRL', 'pix', '{wise}'",
      'providers: "wise" is unknown; allowed: sandbox, asaas, stripe',
    ],
    ["$1, 'charge', 'br', 'BRL', 'pix', '{asaas,asaas}'", 'providers: lists a provider twice'],
  ])('set_provider_route(%s) is rejected', async (args, words) => {
    const { id } = await createPayTenant(sql);
    await inTransaction(sql, async (tx) => {
      const call = `select admin.set_provider_route(${args.replace('$1', `'${id}'`)})`;
      expect(await refusal(tx, (sp) => sp.unsafe(call))).toContain(words);
    });
  });
});

test('the API responds: 501 with what to connect, 502 for later, 422 for the amount', async () => {
  const tenant = await createPayTenant(sql);
  const { apiKey } = await createApiKey(sql, tenant.id, { scopes: PAYMENT_SCOPES });
  const usd = invoice({
    customer: { country: 'US', name: 'Ann Lee', email: 'ann@example.com' },
    ...{ currency: 'USD', payment_method: { type: 'card' } },
  });
  expect(bodyOf(await pay(apiKey, '/invoices', usd), 501)).toMatchObject({
    code: 'provider_not_configured',
    detail: 'No provider is connected for card charges in USD. Connect stripe.',
  });
  await account(sql, tenant, 'stripe');
  expect(faultsOf(await pay(apiKey, '/invoices', { ...usd, amount: 49 }), 422, 'validation_error')).toEqual([
    'amount',
  ]);
  await account(sql, tenant, 'asaas', { status: 'failing', reason: 'The key is off.' });
  const later = await pay(apiKey, '/invoices', invoice());
  expect([later.status, later.headers.get('retry-after'), later.body]).toEqual([
    502,
    '60',
    expect.objectContaining({
      ...{ code: 'provider_error', retryable: true },
      detail: 'The provider is unavailable: The key is off.',
    }),
  ]);
  expect(await sql`select 1 from invoices where tenant_id = ${tenant.id}`).toEqual([]);
});

test.each(['payments', 'callbacks'] as FunctionName[])(
  '%s does not start in production with the URL of a fake',
  async (name) => {
    for (const setting of ['ASAAS_URL', 'WISE_URL', 'STRIPE_URL', 'WISE_PUBLIC_KEY']) {
      const { ASAAS_URL: _a, WISE_URL: _w, STRIPE_URL: _s, WISE_PUBLIC_KEY: _k, ...env } = inject('env');
      const dir = mkdtempSync(join(tmpdir(), 'placar-function-'));
      const lines: string[] = [];
      const settings = {
        ...env,
        APP_ENV: 'production',
        ALLOW_INSECURE_WEBHOOKS: 'false',
        [setting]: 'https://stand-in.example',
      };
      const started = startFunction({ name, env: settings, dir, onLine: (line) => lines.push(line) });
      const outcome = await started.then(
        async (edge) => {
          await edge.stop();
          return 'it started';
        },
        () => lines.join('\n'),
      );
      rmSync(dir, { recursive: true });
      expect([setting, outcome]).toEqual([setting, expect.stringContaining('must not be set in production')]);
      expect(outcome).not.toContain('stand-in.example');
    }
  },
);
