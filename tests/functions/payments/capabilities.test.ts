// The orders available to a tenant, given its routes and accounts.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { connectAsaasTenant } from '../../support/payments/asaas-tenant.ts';
import { createPayTenant, get } from '../../support/payments/payment-flows.ts';

const sql = connectDatabase(undefined, { announces: true });

// biome-ignore lint/suspicious/noExplicitAny: a response, read member by member
type Item = any;

const capabilities = async (apiKey: string): Promise<Item[]> => (await get(apiKey, '/capabilities')).data;
const of = (items: Item[], region: string, method: string | null, kind = 'charge') =>
  items.filter((one) => one.kind === kind && one.region === region && one.method === method);

test('one item per route, with its requirements and features', async () => {
  const { apiKey } = await createPayTenant(sql);
  const items = await capabilities(apiKey);
  expect(
    items.map(({ kind, region, currency, method }) => [kind, region, currency, method].join(' ')),
  ).toEqual([
    ...['bolepix', 'boleto', 'card', 'pix'].map((method) => `charge br BRL ${method}`),
    ...['bank_transfer', 'card', 'sepa_debit'].map((method) => `charge eu EUR ${method}`),
    ...['ach_debit', 'bank_transfer', 'card'].map((method) => `charge us USD ${method}`),
    ...['payout * * ', 'payout * BRL ', 'tax_document br BRL '],
  ]);
  // The sandbox supports Brazil.
  expect(of(items, 'br', 'pix')).toMatchObject([
    { available: true, reason: null, requires: [], due_terms: true, refunds: 'partial' },
  ]);
  expect(of(items, 'br', 'boleto')).toMatchObject([{ refunds: 'full', max_amount: 9_999_999_999 }]);
  expect(of(items, 'us', 'card')).toMatchObject([
    {
      ...{ available: false, reason: 'No provider account is connected for this.' },
      ...{ due_terms: false, refunds: 'partial', min_amount: 50, max_amount: 99_999_999 },
    },
  ]);
  expect(of(items, '*', null, 'payout')).toMatchObject([{ refunds: 'none' }, { refunds: 'none' }]);
});

test('a route for any region: one item per payment method', async () => {
  const { id, apiKey } = await createPayTenant(sql);
  await sql`select admin.set_provider_route(${id}, 'charge', '*', '*', null, '{stripe}')`;
  const everywhere = (await capabilities(apiKey)).filter(
    ({ kind, region }) => kind === 'charge' && region === '*',
  );
  expect(everywhere.map(({ method, currency }) => [method, currency])).toEqual(
    ['ach_debit', 'bank_transfer', 'bolepix', 'boleto', 'card', 'pix', 'sepa_debit'].map((method) => [
      method,
      '*',
    ]),
  );
});

test("for a connected account: explains what is missing, without the provider's name", async () => {
  const { apiKey, accountId } = await connectAsaasTenant(sql, {
    options: { pixKey: true, fiscalInfo: false },
  });
  const items = await capabilities(apiKey);
  expect(of(items, 'br', 'pix')).toMatchObject([
    { available: true, requires: ['customer.tax_id'], min_amount: 500, due_terms: true },
  ]);
  const [document] = of(items, 'br', null, 'tax_document');
  expect(document).toMatchObject({ available: false, reason: expect.any(String), refunds: 'none' });
  await sql`update provider_accounts set status = 'failing', reason = 'Asaas is away.' where id = ${accountId}`;
  const failing = await capabilities(apiKey);
  expect(of(failing, 'br', 'pix')[0].available).toBe(false);
  expect(JSON.stringify([items, failing])).not.toMatch(/asaas|stripe|wise|sandbox/i);
});
