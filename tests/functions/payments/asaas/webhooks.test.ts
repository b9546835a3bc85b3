// Webhooks of Asaas: lost, duplicated, late, in any order, without proof, invalid, and never those of another tenant.
import { describe, expect, test } from 'vitest';
import {
  type AsaasTenant,
  connectAsaasTenant,
  entriesOf,
  waitForNotifications,
} from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin, openDifferences, reconcile } from '../../../support/payments/connected-tenant.ts';
import {
  bodyOf,
  createInvoice,
  createPayout,
  get,
  NFSE,
  untilStatus,
} from '../../../support/payments/payment-flows.ts';
import { pay, pixPayout } from '../../../support/payments/payments.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();

const tokenOf = async ({ accountId }: AsaasTenant): Promise<string> => {
  const [row] = await sql`
    select v.decrypted_secret as token from private.provider_secrets s join vault.decrypted_secrets v on v.id = s.webhook_secret
    where s.account_id = ${accountId}`;
  return row?.token;
};

async function tell(url: string, token: string, body: unknown): Promise<number> {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'asaas-access-token': token },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return status;
}

const event = (name: string, member: string, about: object) => ({
  id: `evt_${crypto.randomUUID()}`,
  event: name,
  [member]: about,
});

const eventsOf = ({ accountId }: AsaasTenant) =>
  sql`select type, about, applied_at, body from provider_account_events where account_id = ${accountId} order by received_at`;

test('all lost: the comparison alone applies everything', async () => {
  const tenant = await connectAsaasTenant(sql, { options: { transferMs: 0 } });
  const { apiKey } = tenant;
  const [paid, refunded, disputed, deleted] = await Promise.all(
    [1, 2, 3, 4].map(() => createInvoice(apiKey)),
  );
  await tenant.webhookFault({ kind: 'lost', times: 1000 });
  const done = await createPayout(apiKey);
  const failed = await createPayout(apiKey, pixPayout({ amount: 700 }));
  for (const { id } of [paid, refunded, disputed]) await tenant.payment(id, 'pay');
  await tenant.payment(refunded.id, 'refund', { value: 25 });
  await tenant.payment(disputed.id, 'chargeback', { step: 'request' });
  await tenant.payment(deleted.id, 'delete');
  await tenant.control.balance(tenant.asaasId, { step: 'block', value: 10 });
  await waitFor(async () => (await tenant.there('transfers', failed.id))[0]?.status === 'DONE');
  await tenant.control.transfer(tenant.asaasId, await tenant.referenceOf('payouts', failed.id), {
    step: 'return',
    show: 'FAILED',
  });
  const documents = `/invoices/${paid.id}/tax-documents`;
  const { id: documentId } = bodyOf(await pay(apiKey, documents, NFSE), 202);
  await waitFor(async () => (await tenant.there('invoices', documentId))[0]?.status === 'AUTHORIZED');
  expect((await get(apiKey, `/invoices/${paid.id}`)).status).toBe('open');

  await reconcile(sql, tenant);
  expect((await get(apiKey, `/invoices/${paid.id}`)).status).toBe('paid');
  expect((await get(apiKey, `/payouts/${done.id}`)).status).toBe('paid');
  expect((await get(apiKey, `/payouts/${failed.id}`)).status).toBe('failed');
  expect(await entriesOf(sql, tenant, refunded.id)).toMatchObject([
    { type: 'charge' },
    { reason: 'refund', net: -2500 },
  ]);
  expect(await entriesOf(sql, tenant, disputed.id)).toMatchObject([
    { type: 'charge' },
    { reason: 'chargeback', net: -10000 },
  ]);
  expect((await entriesOf(sql, tenant)).filter(({ reason }) => reason === 'balance_blocked')).toMatchObject([
    { net: -1000 },
  ]);
  await untilStatus(apiKey, `${documents}/${documentId}`, 'issued');
  expect(await openDifferences(sql, tenant)).toEqual([]);
  // A payment that was deleted in the panel is in no list. Querying it reveals the deletion.
  await sql`update jobs set due_at = now(), published_at = null where tenant_id = ${tenant.id} and key like ${`%${deleted.id}%`} and name = 'expire-invoice'`;
  await sweepNow();
  await untilStatus(apiKey, `/invoices/${deleted.id}`, 'canceled');
  expect((await eventsOf(tenant)).filter(({ type }) => type === 'PAYMENT_RECEIVED')).toEqual([]);
});

test.each(['duplicated', 'reordered'] as const)('%s: as if each arrived once and in order', async (kind) => {
  const tenant = await connectAsaasTenant(sql, { balance: 0 });
  const { id } = await createInvoice(tenant.apiKey);
  await tenant.webhookFault({ kind, times: 3 });
  await tenant.payment(id, 'pay');
  await tenant.payment(id, 'refund', { value: 30 });
  await tenant.payment(id, 'refund', { value: 20 });
  await tenant.control.releaseEvents();
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  await waitForNotifications(sql, tenant);
  const entries = await entriesOf(sql, tenant, id);
  expect(entries.filter(({ type }) => type === 'charge')).toHaveLength(1);
  expect(entries.reduce((sum, { net }) => sum + net, 0)).toBe(9801 - 5000);
  const kept = (await eventsOf(tenant)).map(({ body }) => JSON.parse(body).id);
  expect(new Set(kept).size).toBe(kept.length);
});

test('an event from yesterday that arrives today changes nothing', async () => {
  const tenant = await connectAsaasTenant(sql);
  const { id } = await createInvoice(tenant.apiKey);
  await tenant.payment(id, 'pay');
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  const told = event('PAYMENT_DELETED', 'payment', {
    id: await tenant.referenceOf('invoices', id),
    externalReference: id,
    status: 'PENDING',
    deleted: true,
  });
  expect(await tell(tenant.callbackUrl, await tokenOf(tenant), told)).toBe(200);
  await waitFor(async () =>
    (await eventsOf(tenant)).find(({ type, applied_at }) => type === 'PAYMENT_DELETED' && applied_at),
  );
  expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('paid');
  expect(await entriesOf(sql, tenant, id)).toHaveLength(1);
});

describe('invalid events', () => {
  test('unverified: 401, and only a counter is stored', async () => {
    const tenant = await connectAsaasTenant(sql);
    const before = (await eventsOf(tenant)).length;
    const body = event('PAYMENT_RECEIVED', 'payment', { id: 'pay_1' });
    for (const token of ['', 'wrong', `${await tokenOf(tenant)}x`])
      expect(await tell(tenant.callbackUrl, token, body)).toBe(401);
    const [account] =
      await sql`select rejected_events from admin.provider_accounts where id = ${tenant.accountId}`;
    expect(account?.rejected_events).toBe('3');
    expect(await eventsOf(tenant)).toHaveLength(before);
  });

  test('repeated unverified events cause ten writes a minute', async () => {
    const tenant = await connectAsaasTenant(sql);
    const body = event('PAYMENT_RECEIVED', 'payment', { id: 'pay_1' });
    const strangers = async (times: number) => {
      for (let time = 0; time < times; time++)
        expect(await tell(tenant.callbackUrl, 'wrong', body)).toBe(401);
      const [row] = await sql`
        select rejected_events::integer as counted, xmin::text as version from provider_accounts where id = ${tenant.accountId}`;
      return row;
    };
    const ten = await strangers(12);
    expect(ten?.counted).toBe(10);
    expect(await strangers(5)).toEqual(ten);
    await sql`
      update provider_accounts set rejected_since = rejected_since - interval '1 minute' where id = ${tenant.accountId}`;
    expect((await strangers(3))?.counted).toBe(13);
  });

  test('an unknown account, or one at another provider: 401', async () => {
    const tenant = await connectAsaasTenant(sql);
    const token = await tokenOf(tenant);
    const unknown = tenant.callbackUrl.replace(/.{6}$/, '000000');
    for (const url of [unknown, `${tenant.callbackUrl}x`, tenant.callbackUrl.replace('/asaas/', '/stripe/')])
      expect(await tell(url, token, {})).toBe(401);
  });

  test('invalid JSON and unknown content: 200, stored', async () => {
    const tenant = await connectAsaasTenant(sql);
    const token = await tokenOf(tenant);
    const broken = ['{"id": "evt_1", "event": ', '\u0000', '[]', '{"event":5}', ''];
    for (const body of broken)
      expect([body, await tell(tenant.callbackUrl, token, body)]).toEqual([body, 200]);
    expect(await tell(tenant.callbackUrl, token, event('LOAN_OFFERED', 'loan', { id: 'l_1' }))).toBe(200);
    const kept = await eventsOf(tenant);
    expect(kept.filter(({ type }) => type === 'unreadable')).toHaveLength(broken.length);
    expect(kept.filter(({ about }) => about === null)).toHaveLength(broken.length + 1);
  });
});

test("two tenants at Asaas: neither gets the other's events or looks up its orders", async () => {
  const [ana, eva] = [await connectAsaasTenant(sql), await connectAsaasTenant(sql)];
  const [anaToken, evaToken] = [await tokenOf(ana), await tokenOf(eva)];
  const { id } = await createInvoice(eva.apiKey);
  const payment = await eva.referenceOf('invoices', id);
  await eva.webhookFault({ kind: 'lost', times: 10 });
  await eva.payment(id, 'pay');
  expect(await tell(eva.callbackUrl, anaToken, event('PAYMENT_RECEIVED', 'payment', { id: payment }))).toBe(
    401,
  );
  await eva.control.forgetRequests({ account: eva.asaasId });
  for (const about of [{ id: payment, externalReference: id }, { id: payment }, { externalReference: id }])
    expect(await tell(ana.callbackUrl, anaToken, event('PAYMENT_RECEIVED', 'payment', about))).toBe(200);
  await waitFor(
    async () =>
      (
        await sql`
    select from jobs where tenant_id = ${ana.id} and name = 'apply-provider-event' and attempts > 0`
      ).length === 3,
  );
  expect((await get(eva.apiKey, `/invoices/${id}`)).status).toBe('open');
  expect(await eva.control.requests({ account: eva.asaasId })).toEqual([]);
  expect(await entriesOf(sql, ana)).toEqual([]);
  expect((await pay(ana.apiKey, `/invoices/${id}`)).status).toBe(404);
  // Eva's own webhook updates it.
  expect(await tell(eva.callbackUrl, evaToken, event('PAYMENT_RECEIVED', 'payment', { id: payment }))).toBe(
    200,
  );
  await untilStatus(eva.apiKey, `/invoices/${id}`, 'paid');
});

test('while the tenant cannot write because it is moved: 503 for the provider, and 401 for others', async () => {
  const tenant = await connectAsaasTenant(sql);
  const token = await tokenOf(tenant);
  const [move] = await sql`
    insert into private.tenant_moves (tenant_id, slug, direction, moved_to, state, frozen_until, settled_at)
    select t.id, t.slug, 'out', 'https://new.example', 'frozen', now() + interval '1 hour', now()
    from provider_accounts a join tenants t on t.id = a.tenant_id where a.id = ${tenant.accountId}
    returning id`;
  const close = (table: string, event: string) =>
    sql.unsafe(`
      create trigger "000_moving_test" before ${event} on ${table} for each row
      when (new.${table === 'provider_accounts' ? 'id' : 'account_id'} = '${tenant.accountId}')
      execute function private.reject_while_moving('${move?.id}')`);
  await close('provider_accounts', 'update');
  await close('provider_account_events', 'insert');
  try {
    const paid = event('PAYMENT_RECEIVED', 'payment', { id: 'pay_1' });
    expect(await tell(tenant.callbackUrl, token, paid)).toBe(503);
    expect(await tell(tenant.callbackUrl, `${token}x`, paid)).toBe(401);
  } finally {
    await sql`drop trigger "000_moving_test" on provider_accounts`;
    await sql`drop trigger "000_moving_test" on provider_account_events`;
    await sql`delete from private.tenant_moves where id = ${move?.id}`;
  }
});
