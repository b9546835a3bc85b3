// Approval requests of Asaas: one payout is one transfer, however many requests arrive while it is being sent.
import { expect, test } from 'vitest';
import { type AsaasTenant, connectAsaasTenant } from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../../support/payments/connected-tenant.ts';
import { createPayout } from '../../../support/payments/payment-flows.ts';
import { pixPayout } from '../../../support/payments/payments.ts';
import { mailsTo } from '../../../support/records/record-flows.ts';

const sql = connectAdmin();

async function ask({ callbackUrl, withdrawalToken }: AsaasTenant, transfer: object): Promise<string> {
  const response = await fetch(`${callbackUrl}/approvals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'asaas-access-token': withdrawalToken },
    body: JSON.stringify({ type: 'TRANSFER', transfer }),
  });
  return (await response.json()).status;
}

/** A payout whose response from Asaas is not stored yet, and its transfer as Asaas shows it. */
async function beingSent(tenant: AsaasTenant, more: Record<string, unknown> = {}) {
  await tenant.webhookFault({ kind: 'lost', times: 100 });
  const { id } = await createPayout(tenant.apiKey, pixPayout(more));
  const [held] = await tenant.there('transfers', id);
  await sql`update payouts set provider_reference = null where id = ${id}`;
  return { id, transfer: held.asCreated };
}

const another = (n: number) => `0b5b6e1c-0000-4000-8000-${String(n).padStart(12, '0')}`;

test('of several transfers for a payout in progress, one is approved, and the owner is notified of the others', async () => {
  const tenant = await connectAsaasTenant(sql, { options: { transfers: 'held' } });
  const owner = `owner-${tenant.id}@example.com`;
  await sql`update tenants set owner_email = ${owner} where id = ${tenant.id}`;
  const { transfer } = await beingSent(tenant);
  const ids = Array.from({ length: 8 }, () => crypto.randomUUID());
  const decisions = await Promise.all(ids.map((one) => ask(tenant, { ...transfer, id: one })));
  expect(decisions.filter((status) => status === 'APPROVED')).toHaveLength(1);
  const first = ids[decisions.indexOf('APPROVED')] ?? '';
  const others = ids.filter((one) => one !== first).sort();
  // The decision is the same when Asaas asks again.
  expect(await ask(tenant, { ...transfer, id: first })).toBe('APPROVED');
  expect(await ask(tenant, { ...transfer, id: others[0] })).toBe('REFUSED');
  const differences = await sql`
    select subject, ours ->> 'transfer' as ours from admin.provider_differences
    where account_id = ${tenant.accountId} and kind = 'second_transfer' order by subject`;
  expect(differences).toEqual(others.map((subject) => ({ subject, ours: first })));
  const mails = await mailsTo(owner, others.length);
  expect(
    mails.map(({ text }) => /Asaas asked Placar to approve transfer (\S+) for/.exec(text)?.[1]).sort(),
  ).toEqual(others);
});

test('a payout that we send again may become another transfer', async () => {
  const tenant = await connectAsaasTenant(sql, { options: { transfers: 'held' } });
  const { id, transfer } = await beingSent(tenant);
  expect(await ask(tenant, { ...transfer, id: another(1) })).toBe('APPROVED');
  await sql`update payouts set ordered_at = now() + interval '1 second' where id = ${id}`;
  expect(await ask(tenant, { ...transfer, id: another(2) })).toBe('APPROVED');
  expect(await ask(tenant, { ...transfer, id: another(1) })).toBe('REFUSED');
});

const phone = { type: 'pix', key_type: 'phone', key: '+5511987654321' };
const cpf = { type: 'pix', key_type: 'cpf', key: '52998224725' };
const email = { type: 'pix', key_type: 'email', key: 'ana@example.com' };

interface Change {
  key?: string;
  value?: number;
  operationType?: string;
  type?: string;
}

test.each<[string, object, Change, string]>([
  ['a CPF with the digits of the phone', phone, { key: '119.876.543-21' }, 'REFUSED'],
  ['the phone, as typed', phone, { key: '(11) 98765-4321' }, 'APPROVED'],
  ['the phone with its country', phone, { key: '+5511987654321' }, 'APPROVED'],
  ['a phone with the digits of the CPF', cpf, { key: '+5552998224725' }, 'REFUSED'],
  ['the CPF with punctuation', cpf, { key: '529.982.247-25' }, 'APPROVED'],
  ['an e-mail that ends like ours', email, { key: 'eva.ana@example.com' }, 'REFUSED'],
  ['the e-mail in capitals', email, { key: 'ANA@EXAMPLE.COM' }, 'APPROVED'],
  ['a part of a cent', email, { value: 50.0049 }, 'REFUSED'],
  ['a TED', email, { operationType: 'TED', type: 'TED' }, 'REFUSED'],
])('%s', async (_, account, { key, ...change }, decision) => {
  const tenant = await connectAsaasTenant(sql, { options: { transfers: 'held' } });
  const { beneficiary } = pixPayout();
  const more = { amount: 5000, beneficiary: { ...(beneficiary as object), bank_account: account } };
  const { transfer } = await beingSent(tenant, more);
  const { bankAccount } = transfer;
  const asked = {
    ...transfer,
    ...change,
    ...(key && { bankAccount: { ...bankAccount, pixAddressKey: key } }),
  };
  expect(await ask(tenant, asked)).toBe(decision);
});
