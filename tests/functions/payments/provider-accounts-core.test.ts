// Accounts at providers: late notifications change nothing, those that cannot be stored are acknowledged, and deleted accounts are erased.
import { expect, inject, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { connectAsaasTenant } from '../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { createInvoice } from '../../support/payments/payment-flows.ts';
import { invoice } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const admin = connectAdmin();

const hashOf = (key: string) =>
  sql<{ hash: string }[]>`select encode(sha256(convert_to(${key}, 'UTF8')), 'hex') as hash`;

test('a check that used the previous key changes nothing', async () => {
  const {
    id: tenantId,
    accountId,
    asaasKey: key,
    control,
  } = await connectAsaasTenant(admin, { asksUs: true });
  const [before] = await hashOf(key);
  const failing = (keyHash = '') =>
    sql`select app.record_provider_check(${accountId}, ${sql.json({ status: 'failing', reason: 'Old.', key_hash: keyHash })})`;
  const { apiKey: next } = await control.createAccount();
  await sql`select admin.connect_asaas(${tenantId}, ${next})`;
  await failing(before?.hash);
  const [account] = await sql`select reason from provider_accounts where id = ${accountId}`;
  expect(account?.reason).not.toBe('Old.');
  const [after] = await hashOf(next);
  await failing(after?.hash);
  expect((await sql`select reason from provider_accounts where id = ${accountId}`)[0]?.reason).toBe('Old.');
});

test('an account that is connected again while its key is being deleted keeps its new key', async () => {
  const { id: tenantId, accountId, control } = await connectAsaasTenant(admin, { asksUs: true });
  await sql`update provider_accounts set status = 'disconnected', disconnected_at = now() where id = ${accountId}`;
  const { apiKey: next } = await control.createAccount();
  let forgotten: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await tx`select admin.connect_asaas(${tenantId}, ${next})`;
    // It waits for this transaction and must see its result.
    forgotten = connectDatabase().begin(async (other) => {
      await other`select app.forget_provider_account(${accountId})`;
    });
    await waitForLock();
  });
  await forgotten;
  const [secrets] =
    await sql`select api_key is not null as kept from private.provider_secrets where account_id = ${accountId}`;
  expect(secrets).toEqual({ kept: true });
});

async function waitForLock(): Promise<void> {
  const { waitFor } = await import('../../support/wait-for.ts');
  await waitFor(async () => {
    const [row] = await sql`
      select count(*)::integer as waiting from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%forget_provider_account%'`;
    return row?.waiting > 0;
  });
}

async function deliver(
  accountId: string,
  body: string | Uint8Array<ArrayBuffer>,
  more: Record<string, string> = {},
  path = '',
) {
  const [secret] = await sql`
    select v.decrypted_secret as token from vault.decrypted_secrets v
    join private.provider_secrets s on s.webhook_secret = v.id where s.account_id = ${accountId}`;
  return await fetch(`${inject('env').FUNCTIONS_URL}/callbacks/providers/asaas/${accountId}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'asaas-access-token': secret?.token, ...more },
    body,
  });
}

const event = (id: string, payment: object = {}) =>
  JSON.stringify({
    id,
    event: 'PAYMENT_RECEIVED',
    payment: { id: 'pay_1', externalReference: 'inv_1', ...payment },
  });

test.each([
  ['is no JSON', '{'],
  ['is nothing', ''],
  ['is no text', new Uint8Array([0xff, 0xfe, 0x00, 0x80])],
  ['has an id with NUL', event('evt_\u0000')],
  [
    'has half a character for an id',
    '{"id":"evt_\\ud800","event":"PAYMENT_RECEIVED","payment":{"id":"pay_1"}}',
  ],
  ['has an id without end', event('e'.repeat(5000))],
  ['has a reference with NUL', event('evt_2', { externalReference: 'inv_\u0000' })],
  ['is deep', `${'['.repeat(5000)}${']'.repeat(5000)}`],
])('verified events return 200 and are stored once, although it %s', async (_, body) => {
  const { accountId } = await connectAsaasTenant(admin, { asksUs: true });
  await sql`delete from provider_account_events where account_id = ${accountId}`;
  for (let time = 0; time < 2; time++) expect((await deliver(accountId, body)).status).toBe(200);
  expect(await sql`select type, about from provider_account_events where account_id = ${accountId}`).toEqual([
    { type: 'unreadable', about: null },
  ]);
});

test('unverified requests return 401, whatever they contain', async () => {
  const { accountId } = await connectAsaasTenant(admin, { asksUs: true });
  const wrong = { 'asaas-access-token': 'x'.repeat(48) };
  for (const [path, headers] of [
    ['', wrong],
    ['/approvals', wrong],
    ['/approvals', { 'asaas-access-token': '' }],
    ['/approvals', {}],
  ] as const)
    expect((await deliver(accountId, event('evt_1'), headers, path)).status).toBe(401);
  expect((await deliver(accountId, `"${'x'.repeat(600_000)}"`, wrong)).status).toBe(401);
  expect((await deliver(accountId, `"${'x'.repeat(600_000)}"`)).status).toBe(413);
  const [account] =
    await sql`select rejected_events::integer as rejected from provider_accounts where id = ${accountId}`;
  expect(account?.rejected).toBe(2);
});

test('erasing a person clears the descriptions of their statement lines', async () => {
  const { id: tenantId, apiKey, accountId } = await connectAsaasTenant(admin, { asksUs: true });
  const email = `${crypto.randomUUID()}@demo.example`;
  const { customer } = invoice();
  const { id } = await createInvoice(apiKey, { customer: { ...customer, email } });
  const [row] = await sql`select provider_reference from invoices where id = ${id}`;
  await sql`
    insert into provider_statement_lines (account_id, line_id, tenant_id, at, currency, amount, provider_reference, named_reference, description)
    values (${accountId}, 'ftn_1', ${tenantId}, now(), 'BRL', 1, ${row?.provider_reference}, null, 'Received from Maria'),
           (${accountId}, 'ftn_2', ${tenantId}, now(), 'BRL', 1, null, ${row?.provider_reference}, 'Blocked of Maria'),
           (${accountId}, 'ftn_3', ${tenantId}, now(), 'BRL', 1, null, null, ${`Sent to ${email.toUpperCase()}`}),
           (${accountId}, 'ftn_4', ${tenantId}, now(), 'BRL', 1, 'pay_other', null, 'Received from Ana')`;
  await sql`select admin.erase_person(${tenantId}, ${email})`;
  const lines =
    await sql`select description from provider_statement_lines where account_id = ${accountId} order by line_id`;
  expect(lines.map(({ description }) => description)).toEqual([
    'Erased',
    'Erased',
    'Erased',
    'Received from Ana',
  ]);
});

test('erasing a person clears provider events', async () => {
  const { id: tenantId, apiKey, accountId } = await connectAsaasTenant(admin, { asksUs: true });
  const email = `${crypto.randomUUID()}@demo.example`;
  const { customer } = invoice();
  const { id } = await createInvoice(apiKey, { customer: { ...customer, email } });
  await deliver(accountId, event('evt_named', { payer: customer.tax_id, externalReference: id }));
  await deliver(
    accountId,
    event('evt_mailed', { externalReference: null, customer: { email: email.toUpperCase() } }),
  );
  await deliver(accountId, event('evt_other', { externalReference: 'inv_other' }));
  await sql`select admin.erase_person(${tenantId}, ${email})`;
  const kept = await sql`
    select event_id, body = 'Erased' as erased from provider_account_events
    where account_id = ${accountId} and event_id in ('evt_named', 'evt_mailed', 'evt_other') order by event_id`;
  expect(kept).toEqual([
    { event_id: 'evt_mailed', erased: true },
    { event_id: 'evt_named', erased: true },
    { event_id: 'evt_other', erased: false },
  ]);
});
