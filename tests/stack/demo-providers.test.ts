// `npm start -- --providers`: the demo tenant has accounts at all three fakes, and its orders go there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startStack } from '../../local/stack.ts';
import { bodyOf } from '../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout, transferPayout } from '../support/payments/payments.ts';
import { waitFor } from '../support/wait-for.ts';

test('each provider gets its own orders, and our approval releases a transfer', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'placar-demo-'));
  const stack = await startStack({ dir, port: 0, durable: false, providers: 'demo' });
  onTestFinished(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const sql = postgres(stack.info.database_url, { max: 2, onnotice: () => {} });
  onTestFinished(() => sql.end({ timeout: 1 }));
  await waitFor(async () => {
    const accounts =
      await sql`select provider from provider_accounts where status = 'active' order by provider`;
    return accounts.map(({ provider }) => provider).join() === 'asaas,stripe,wise';
  });

  const { api_key: apiKey, base_url } = stack.info;
  const call = (path: string, body?: unknown) =>
    pay(apiKey, path, body, { baseUrl: `${base_url}/functions/v1` });
  const made = bodyOf(await call('/invoices', invoice()), 201);
  const abroad = invoice({
    customer: { country: 'US', name: 'Ann Lee', email: 'ann@example.com' },
    currency: 'USD',
    payment_method: { type: 'card', return_url: 'https://shop.example/thanks' },
  });
  bodyOf(await call('/invoices', abroad), 201);
  const beneficiary = { ...transferPayout().beneficiary, type: 'person' };
  bodyOf(await call('/payouts', transferPayout({ beneficiary })), 201);
  const payout = bodyOf(await call('/payouts', pixPayout()), 201);
  const takers = await sql`
    select i.currency, i.provider from invoices i join tenants t on t.id = i.tenant_id where t.slug = 'demo' and i.provider_account_id is not null
    union all
    select p.currency, p.provider from payouts p join tenants t on t.id = p.tenant_id where t.slug = 'demo' and p.provider_account_id is not null
    order by currency, provider`;
  expect(takers.map(({ currency, provider }) => `${currency} ${provider}`)).toEqual([
    'BRL asaas',
    'BRL asaas',
    'EUR wise',
    'USD stripe',
  ]);

  const asaas = stack.providers?.asaas.control;
  const [account = ''] = (await asaas?.accounts()) ?? [];
  const [charge] = await sql`select provider_reference from invoices where id = ${made.id}`;
  await asaas?.pay(account, charge?.provider_reference);
  // Asaas asks for approval some seconds after the order.
  await asaas?.advance({ minutes: 1 });
  const ends = async (path: string) =>
    await waitFor(async () => (await call(path)).body.status === 'paid' && 'paid');
  expect(await ends(`/invoices/${made.id}`)).toBe('paid');
  expect(await ends(`/payouts/${payout.id}`)).toBe('paid');
});
