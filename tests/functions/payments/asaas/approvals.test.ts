// Approval requests of Asaas: only transfers that we ordered from this account and that are in progress are approved.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startOwnFunction } from '../../../support/functions.ts';
import { type AsaasTenant, connectAsaasTenant } from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../../support/payments/connected-tenant.ts';
import { createPayout, untilStatus } from '../../../support/payments/payment-flows.ts';
import { pixPayout } from '../../../support/payments/payments.ts';
import { wireToDatabase } from '../../../support/wire/network-waits.ts';

const sql = connectAdmin();

interface Answer {
  status: number;
  body: { status?: string; refuseReason?: string };
}

async function ask(
  { callbackUrl, withdrawalToken }: AsaasTenant,
  transfer: unknown,
  { token = withdrawalToken, url = `${callbackUrl}/approvals`, type = 'TRANSFER' } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { 'asaas-access-token': token }) },
    body: JSON.stringify({ type, transfer }),
  });
  return { status: response.status, body: await response.json() };
}

/** A payout in progress, and its transfer as Asaas shows it. */
async function ordered(tenant: AsaasTenant, more: object = {}) {
  const { id } = await createPayout(tenant.apiKey, pixPayout({ ...more }));
  const held = await tenant.there('transfers', id);
  return { id, transfer: held[0].asCreated };
}

const approved = { status: 200, body: { status: 'APPROVED' } };
const refused = (why: RegExp) => ({
  status: 200,
  body: { status: 'REFUSED', refuseReason: expect.stringMatching(why) },
});

test('approves our own transfer while it is in progress, and nothing else', async () => {
  const tenant = await connectAsaasTenant(sql, { options: { transfers: 'held' } });
  const { id, transfer } = await ordered(tenant);
  expect(await ask(tenant, transfer)).toEqual(approved);
  const cases: [object, RegExp][] = [
    [{ externalReference: null }, /did not create this transfer/],
    [{ externalReference: 'po_01m80bq32kf9qb5j68v301jzgf' }, /No payout/],
    [{ value: transfer.value + 0.01 }, /does not match/],
    [{ value: -transfer.value }, /./],
    [{ bankAccount: { ...transfer.bankAccount, pixAddressKey: 'eva@example.com' } }, /does not match/],
    [{ id: '0b5b6e1c-0000-4000-8000-000000000000' }, /different transfer/],
  ];
  for (const [change, why] of cases)
    expect([change, await ask(tenant, { ...transfer, ...change })]).toEqual([change, refused(why)]);
  expect(await ask(tenant, transfer, { type: 'BILL' })).toEqual(refused(/only PIX transfers/));
  for (const nothing of [null, 'text', [], {}, { id: 5 }])
    expect([nothing, (await ask(tenant, nothing)).body.status]).toEqual([nothing, 'REFUSED']);
  // A second transfer for the same order is not the one that we sent, whatever its id.
  await tenant.control.transfer(tenant.asaasId, transfer.id, { step: 'done' });
  await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
  expect(await ask(tenant, transfer)).toEqual(refused(/not in progress/));
});

test("rejects another account's order, and tokens of other URLs", async () => {
  const [ana, eva] = [
    await connectAsaasTenant(sql),
    await connectAsaasTenant(sql, { options: { transfers: 'held' } }),
  ];
  const { transfer } = await ordered(eva);
  expect(await ask(ana, transfer)).toEqual(refused(/No payout of this account/));
  for (const token of ['', 'wrong', ana.withdrawalToken])
    expect([token, (await ask(eva, transfer, { token })).status]).toEqual([token, 401]);
  expect(
    (await ask(eva, transfer, { url: `${eva.callbackUrl}/approvals`.replace('pacc_', 'pacc_0') })).status,
  ).toBe(401);
  // The token of the webhook is a different one.
  const [row] = await sql`
    select v.decrypted_secret as token from private.provider_secrets s join vault.decrypted_secrets v on v.id = s.webhook_secret
    where s.account_id = ${eva.accountId}`;
  expect((await ask(eva, transfer, { token: row?.token })).status).toBe(401);
  const [renewed] = await sql`select token from admin.new_withdrawal_token(${eva.accountId})`;
  expect((await ask(eva, transfer)).status).toBe(401);
  expect(await ask(eva, transfer, { token: renewed?.token })).toEqual(approved);
});

test('Asaas asks, and the transfer is sent', async () => {
  const tenant = await connectAsaasTenant(sql, { asksUs: true });
  const { id } = await createPayout(tenant.apiKey);
  await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
});

test('an unresponsive database: 503 within a second', async () => {
  const tenant = await connectAsaasTenant(sql);
  const { wire, env } = await wireToDatabase();
  const { baseUrl } = await startOwnFunction('callbacks', env);
  const url = `${baseUrl}/callbacks/providers/asaas/${tenant.accountId}/approvals`;
  expect(await ask(tenant, {}, { url })).toMatchObject({ status: 200, body: { status: 'REFUSED' } });
  wire.watch({ answer: () => false });
  expect((await ask(tenant, {}, { url })).status).toBe(503);
  wire.cut();
  expect((await ask(tenant, {}, { url })).status).toBe(503);
});

test('of an account that moved away: forwarded, and unverified ones only up to a limit', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const accountId = `pacc_0${crypto.randomUUID().replaceAll('-', '').slice(0, 25)}`;
  await sql`
    with moved as (
      insert into private.tenant_moves (tenant_id, slug, direction, state, moved_to)
      values (gen_random_uuid(), ${accountId}, 'out', 'moved', ${`http://127.0.0.1:${port}`}) returning id
    )
    insert into private.moved_callers (kind, name, move_id) select 'provider_account', ${accountId}, id from moved`;
  const { baseUrl } = await startOwnFunction('callbacks', { CLIENT_ADDRESS_HEADER: 'x-test-address' });
  const send = async () => {
    const { status, body } = await fetch(`${baseUrl}/callbacks/providers/asaas/${accountId}/approvals`, {
      method: 'POST',
      headers: { 'x-test-address': '203.0.113.9' },
      body: '{}',
    });
    await body?.cancel();
    return status;
  };
  const statuses: number[] = [];
  while (!statuses.includes(429) && statuses.length < 3000)
    statuses.push(...(await Promise.all(Array.from({ length: 20 }, send))));
  expect(statuses.filter((status) => status === 429)).not.toEqual([]);
  // On a slow machine, some requests get 503 before the new project is called.
  expect(statuses.filter((status) => status === 401)).toHaveLength(asked);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(600);
});
