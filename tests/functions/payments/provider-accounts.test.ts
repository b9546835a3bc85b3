// Connecting the accounts of a tenant, their states, and disconnecting them.

import { describe, expect, test } from 'vitest';
import type { Sql } from '../../../shared/platform/db/database.ts';
import { postponeJob } from '../../../shared/platform/jobs/queries.ts';
import { connectDatabase } from '../../support/database.ts';
import {
  atAsaas,
  atStripe,
  atWise,
  connectAsaas,
  connectStripe,
  connectWise,
  untilAccountIs,
} from '../../support/payments/accounts-at-fakes.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  get,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../support/payments/payments.ts';
import { mailsTo } from '../../support/records/record-flows.ts';
import { waitFor } from '../../support/wait-for.ts';

/** An admin whose jobs start immediately. */
const sql = connectDatabase(undefined, { announces: true });

const isActive = ({ status }: Record<string, unknown>) => status === 'active';
const secretsOf = async (account: string) => {
  const [row] = await sql`
    select s.webhook_reference as reference,
           (select decrypted_secret from vault.decrypted_secrets where id = s.api_key) as key,
           (select decrypted_secret from vault.decrypted_secrets where id = s.webhook_secret) as secret
    from private.provider_secrets s where s.account_id = ${account}`;
  return row;
};

describe('connecting an account tests key, capabilities and balance, and creates a webhook with its own secret', () => {
  test('Asaas', async () => {
    const tenants = [await createPayTenant(sql), await createPayTenant(sql)];
    const secrets: string[] = [];
    for (const { id: tenant } of tenants) {
      const { id, apiKey } = await atAsaas().createAccount({ balance: 123.45 });
      const account = await connectAsaas(sql, tenant, apiKey);
      expect(account).toMatch(/^pacc_[0-9a-z]{26}$/);
      const seen = await untilAccountIs(sql, account, isActive);
      expect(seen).toMatchObject({
        ...{ provider: 'asaas', tenant_id: tenant, reason: null, webhook_state: 'active' },
        ...{ balance: '12345', currency: 'BRL', rejected_events: '0', balance_read_at: expect.any(Date) },
      });
      expect(seen.capabilities).toMatchObject({ pix: null, boleto: null, card: null, payout: null });
      expect(seen.capabilities.sepa_debit).toContain('Brazil');
      const { webhooks } = await atAsaas().account(id);
      const kept = await secretsOf(account);
      expect(webhooks).toMatchObject([
        { url: expect.stringMatching(`/callbacks/providers/asaas/${account}$`), authToken: kept?.secret },
      ]);
      secrets.push(kept?.secret);
    }
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets) expect(secret.length).toBeGreaterThanOrEqual(32);
  });

  test('Wise and Stripe', async () => {
    const tenant = await createPayTenant(sql);
    const wise = await atWise().createAccount({ balances: { EUR: 50 } });
    const stripe = await atStripe().createAccount({ country: 'US', currency: 'usd' });
    const atW = await connectWise(sql, tenant.id, wise.token, wise.profile);
    const atS = await connectStripe(sql, tenant.id, stripe.apiKey);
    expect(await untilAccountIs(sql, atW, isActive)).toMatchObject({ balance: '5000', currency: 'EUR' });
    expect((await untilAccountIs(sql, atS, isActive)).capabilities).toMatchObject({
      card: null,
      ach_debit: null,
    });
    const { endpoints, secrets } = await atStripe().account(stripe.id);
    expect(endpoints.map(({ url }) => url)).toEqual([expect.stringContaining(atS)]);
    expect(Object.values(secrets)).toEqual([(await secretsOf(atS))?.secret]);
    const { subscriptions } = await atWise().account(wise.id);
    expect(subscriptions.length).toBeGreaterThan(0);
  });

  test('missing setup is reported, but does not make the account failing', async () => {
    const tenant = await createPayTenant(sql);
    const { apiKey } = await atAsaas().createAccount({ options: { pixKey: false, fiscalInfo: false } });
    const account = await connectAsaas(sql, tenant.id, apiKey);
    const { capabilities } = await untilAccountIs(sql, account, isActive);
    expect(capabilities.pix).toContain('Minhas chaves');
    expect(capabilities.tax_document).toContain('no fiscal settings');
    expect(capabilities.boleto).toBeNull();
    const refused = await pay(tenant.apiKey, '/invoices', invoice());
    expect(bodyOf(refused, 501)).toMatchObject({
      code: 'provider_not_configured',
      detail: expect.stringMatching(/^asaas: .*Minhas chaves/),
    });
    const boleto = await createInvoice(tenant.apiKey, { payment_method: { type: 'boleto' } });
    expect(JSON.stringify(boleto)).toMatch(/"digitable_line":"\d{47}"/);
  });
});

test('a rejected key makes it failing, which its owner is told once; another key fixes it and keeps the id', async () => {
  const tenant = await createPayTenant(sql);
  const owner = `owner-${tenant.id}@example.com`;
  await sql`update tenants set owner_email = ${owner} where id = ${tenant.id}`;
  const mailed = () => sql`select from jobs where tenant_id = ${tenant.id} and name = 'send-mail'`;
  const account = await connectAsaas(sql, tenant.id, '$aact_hmlg_nobodysKey0123456789');
  expect(await untilAccountIs(sql, account, ({ status }) => status === 'failing')).toMatchObject({
    reason: 'The provider rejects the API key.',
    webhook_state: 'missing',
  });
  expect(await mailsTo(owner)).toMatchObject([{ text: expect.stringContaining('rejects the API key') }]);
  expect(await mailed()).toHaveLength(1);

  const refused = await pay(tenant.apiKey, '/invoices', invoice());
  expect(bodyOf(refused, 502)).toMatchObject({ code: 'provider_error', retryable: true });
  expect(refused.headers.get('retry-after')).toBe('60');

  // A second check fails again: no second mail.
  const [before] = await sql`select checked_at from provider_accounts where id = ${account}`;
  await sql`select app.check_provider_soon(${account})`;
  await untilAccountIs(sql, account, ({ checked_at }) => checked_at > before?.checked_at);
  expect(await mailed()).toHaveLength(1);

  const { apiKey } = await atAsaas().createAccount();
  expect(await connectAsaas(sql, tenant.id, apiKey)).toBe(account);
  expect(await untilAccountIs(sql, account, isActive)).toMatchObject({
    reason: null,
    webhook_state: 'active',
  });
  expect((await secretsOf(account))?.key).toBe(apiKey);
  const open = await createInvoice(tenant.apiKey);
  expect(open.status).toBe('open');
  const [row] = await sql`select provider, provider_account_id from invoices where id = ${open.id}`;
  expect(row).toEqual({ provider: 'asaas', provider_account_id: account });
});

test('connected again, it keeps its id and webhook, and the previous key is stored nowhere', async () => {
  const tenant = await createPayTenant(sql);
  const { id, apiKey } = await atAsaas().createAccount();
  const account = await connectAsaas(sql, tenant.id, apiKey);
  await untilAccountIs(sql, account, isActive);
  const before = await secretsOf(account);
  const second = `$aact_hmlg_second${crypto.randomUUID()}`;
  await atAsaas().key(id, second, { enabled: true });
  expect(await connectAsaas(sql, tenant.id, second)).toBe(account);
  await untilAccountIs(sql, account, isActive);
  expect(await secretsOf(account)).toEqual({ ...before, key: second });
  expect((await atAsaas().account(id)).webhooks).toHaveLength(1);
  const [kept] = await sql`
    select count(*)::integer as keys from vault.decrypted_secrets where decrypted_secret = ${apiKey}`;
  expect(kept?.keys).toBe(0);
});

test('a check that is requested during another one is not delayed by the end of that one', async () => {
  const tenant = await createPayTenant(sql);
  const tx = await sql.reserve();
  // Never committed, so no other process sees the job.
  await tx`begin`;
  try {
    const account = await connectAsaas(tx, tenant.id, `$aact_hmlg_${crypto.randomUUID()}`);
    const [claimed] = await tx`
      update jobs set attempts = attempts + 1, locked_until = now() + interval '1 minute'
      where name = 'check-provider' and key = ${account} returning id, attempts`;
    await tx`select app.check_provider_soon(${account})`;
    await postponeJob(tx as unknown as Sql, claimed?.id, claimed?.attempts, { retryInSeconds: 3600 });
    const [job] = await tx`select due_at <= now() as due from jobs where id = ${claimed?.id}`;
    expect(job?.due).toBe(true);
  } finally {
    await tx`rollback`;
    tx.release();
  }
});

test('disconnected, it accepts no new orders, follows open ones, and its key is deleted when they have ended', async () => {
  const tenant = await createPayTenant(sql);
  const { id, apiKey } = await atAsaas().createAccount();
  const account = await connectAsaas(sql, tenant.id, apiKey);
  await untilAccountIs(sql, account, isActive);
  const open = await createInvoice(tenant.apiKey);
  const [answer] = await sql`select admin.disconnect_provider(${account}) as words`;
  expect(answer?.words).toContain('no new orders');
  expect(await untilAccountIs(sql, account, () => true)).toMatchObject({ status: 'disconnected' });

  // As a tenant without an account: in staging, the sandbox gets the order.
  const next = await createInvoice(tenant.apiKey);
  const [row] = await sql`select provider from invoices where id = ${next.id}`;
  expect(row?.provider).toBe('sandbox');

  const [{ provider_reference: payment } = { provider_reference: '' }] = await sql`
    select provider_reference from invoices where id = ${open.id}`;
  await atAsaas().pay(id, payment);
  await untilStatus(tenant.apiKey, `/invoices/${open.id}`, 'paid');
  // It is checked every hour, or immediately on request.
  await sql`select admin.disconnect_provider(${account})`;
  await waitFor(async () => (await secretsOf(account))?.key === null);
  expect(await secretsOf(account)).toEqual({ key: null, secret: null, reference: null });
  const [left] = await sql`
    select count(*)::integer as keys from vault.secrets where name like ${`%${account}`}`;
  expect(left?.keys).toBe(0);
  expect((await atAsaas().account(id)).webhooks).toEqual([]);
  expect((await get(tenant.apiKey, `/invoices/${open.id}`)).status).toBe('paid');
});

test('connected again before its key was deleted, it continues with its id', async () => {
  const tenant = await createPayTenant(sql);
  const { apiKey } = await atAsaas().createAccount();
  const account = await connectAsaas(sql, tenant.id, apiKey);
  await untilAccountIs(sql, account, isActive);
  await createInvoice(tenant.apiKey);
  await sql`select admin.disconnect_provider(${account})`;
  expect(await connectAsaas(sql, tenant.id, apiKey)).toBe(account);
  expect(await untilAccountIs(sql, account, isActive)).toMatchObject({ disconnected_at: null });
});

test('deleting a tenant deletes its keys from Vault', async () => {
  const tenant = await createPayTenant(sql);
  const { apiKey } = await atStripe().createAccount({ country: 'US', currency: 'usd' });
  const account = await connectStripe(sql, tenant.id, apiKey);
  await untilAccountIs(sql, account, isActive);
  const keys = async () => (await sql`select 1 from vault.secrets where name like ${`%${account}`}`).length;
  expect(await keys()).toBe(2);
  const [slug] = await sql`select slug from tenants where id = ${tenant.id}`;
  await sql`select * from admin.delete_tenant(${tenant.id}, ${slug?.slug})`;
  expect(await keys()).toBe(0);
});
