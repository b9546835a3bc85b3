// A payout exists once at its provider, regardless of lost messages and repeated requests.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { connectAsaasTenant } from '../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { bodyOf } from '../../support/payments/payment-flows.ts';
import { pay, pixPayout } from '../../support/payments/payments.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const admin = connectAdmin();
const TRANSFERS = { method: 'POST', path: '/v3/transfers' };

test('an order that was rate limited, and then accepted without a response, is looked up and not sent again', async () => {
  const { apiKey, asaasId, control } = await connectAsaasTenant(admin, { asksUs: true });
  const body = pixPayout();
  const key = crypto.randomUUID();
  const send = () => pay(apiKey, '/payouts', body, { key });
  const sent = async () => (await control.requests({ ...TRANSFERS, account: asaasId })).length;

  await control.fault({ ...TRANSFERS, kind: 'rate_limited', account: asaasId });
  expect(bodyOf(await send(), 502)).toMatchObject({ code: 'provider_error', retryable: true });
  const [busy] =
    await sql`select id, ordered_at from payouts where beneficiary ->> 'name' = 'Ana Souza' and tenant_id =
    (select tenant_id from api_keys where key_hash = sha256(convert_to(${apiKey}, 'UTF8')))`;
  expect(busy?.ordered_at).toBeNull();

  await control.fault({ ...TRANSFERS, kind: 'cut_after', account: asaasId });
  expect(bodyOf(await send(), 502)).toMatchObject({ code: 'provider_error', retryable: true });
  expect(await sent()).toBe(2);

  const payout = await waitFor(async () => {
    const answer = await send();
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  });
  // The provider may have paid it in the meantime.
  expect(payout).toMatchObject({ id: busy?.id, status: expect.stringMatching(/^(processing|paid)$/) });
  expect(await sent()).toBe(2);
});

test('twenty requests with one key, and twenty with different keys', async () => {
  const { apiKey, asaasId, control } = await connectAsaasTenant(admin, { asksUs: true });
  const key = crypto.randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => pay(apiKey, '/payouts', pixPayout(), { key })),
  );
  expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  for (const { status, body } of answers)
    if (status !== 201) expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
  expect(await control.requests({ ...TRANSFERS, account: asaasId })).toHaveLength(1);

  const others = await Promise.all(
    Array.from({ length: 20 }, (_, n) => pay(apiKey, '/payouts', pixPayout({ amount: 100 + n }))),
  );
  expect(new Set(others.map(({ body }) => body.id)).size).toBe(20);
  const there = (await control.account(asaasId)).transfers;
  expect(Object.keys(there)).toHaveLength(21);
});
