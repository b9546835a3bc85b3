// Wise with lost responses, overloaded or failing, and with webhooks that arrive twice, late, in any order, forged or never.
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import type { FaultOrder } from '../../../../local/fakes/faults.ts';
import { connectDatabase, noteUse } from '../../../support/database.ts';
import { startOwnFunction } from '../../../support/functions.ts';
import {
  type ConnectedWise,
  connectedWise,
  entriesOf,
  expectReconciled,
  reconcile,
  untilAccount,
  untilEvents,
  waitForNotifications,
  wiseSums,
} from '../../../support/payments/connected-wise-stripe.ts';
import { bodyOf, createPayTenant, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { pay, transferPayout } from '../../../support/payments/payments.ts';
import {
  createWisePayout,
  dollarPayout,
  SENT,
  steps,
  transfersOf,
} from '../../../support/payments/wise-payouts.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { wireToDatabase } from '../../../support/wire/network-waits.ts';

const sql = connectDatabase(undefined, { announces: true });

const even = (wise: ConnectedWise) => expectReconciled(sql, wise, () => wiseSums(wise));
const fault = ({ control, account }: ConnectedWise, order: FaultOrder) =>
  control.fault({ account: account.id, method: 'POST', path: '/*/transfers', ...order });

/** Simulates that the holders of the tenant's keys have been inactive for a long time. */
const letGo = ({ tenant }: ConnectedWise) =>
  sql`update idempotency_keys set locked_until = now() - interval '1 second' where tenant_id = ${tenant.id} and response_status is null`;
const age = ({ tenant }: ConnectedWise) =>
  sql`update payouts set created = created - interval '2 minutes' where tenant_id = ${tenant.id}`;

const FUNDING = '/*/payments';

describe('an order whose response is lost', () => {
  test.each([
    ['of the transfer', 'cut_after', '/*/transfers'],
    ['of the transfer, with 500', 'error_after', '/*/transfers'],
    ['of the quote', 'cut_after', '/*/quotes'],
    ['of the funding', 'cut_after', FUNDING],
    ['of the funding, which was not taken', 'cut_before', FUNDING],
  ] as const)('%s: one transfer, funded once', async (_, kind, path) => {
    const wise = await connectedWise(sql);
    await fault(wise, { kind, path });
    const key = randomUUID();
    const send = () => pay(wise.apiKey, '/payouts', dollarPayout(), { key });
    const first = await send();
    expect([first.status, first.body.code, first.body.retryable]).toEqual([502, 'provider_error', true]);
    const { body } = await waitFor(async () => {
      const reply = await send();
      return reply.status === 201 && reply;
    });
    const [transfer, ...others] = await transfersOf(wise);
    expect([others, transfer?.payments.length]).toEqual([[], 1]);
    await untilStatus(wise.apiKey, `/payouts/${body.id}`, 'processing');
    await steps(wise, { id: body.id, path: '', transfer: transfer?.id ?? 0 }, ...SENT);
    await untilStatus(wise.apiKey, `/payouts/${body.id}`, 'paid');
    await even(wise);
  });
});

describe('killed', () => {
  test.each([1, 2, 3])('before its exchange %i with the database', async (exchange) => {
    const wise = await connectedWise(sql);
    const { wire, env } = await wireToDatabase();
    const { baseUrl, edge } = await startOwnFunction('payments', env);
    const warm = await connectedWise(sql);
    expect((await pay(warm.apiKey, '/payouts', transferPayout(), { baseUrl })).status).toBe(201);
    await noteUse(sql, wise.tenant);
    const key = randomUUID();
    wire.watch({ ask: (nth) => nth < exchange });
    const sending = pay(wise.apiKey, '/payouts', transferPayout(), { key, baseUrl }).catch(() => undefined);
    await waitFor(() => wire.asked() >= exchange);
    edge.crash();
    expect(await sending).toBeUndefined();
    await letGo(wise);
    bodyOf(await pay(wise.apiKey, '/payouts', transferPayout(), { key }), 201);
    const [transfer, ...others] = await transfersOf(wise);
    expect([others, transfer?.payments.length]).toEqual([[], 1]);
    expect(await sql`select from payouts where tenant_id = ${wise.tenant.id}`).toHaveLength(1);
  });

  test.each(['/*/transfers', FUNDING])('while Wise processes %s, without a retry', async (path) => {
    const wise = await connectedWise(sql);
    const { baseUrl, edge } = await startOwnFunction('payments');
    await fault(wise, { kind: 'hold_after', path });
    const sending = pay(wise.apiKey, '/payouts', transferPayout(), { baseUrl }).catch(() => undefined);
    await waitFor(async () => {
      const [transfer] = await transfersOf(wise);
      return transfer && (path !== FUNDING || transfer.payments.length > 0);
    });
    edge.crash();
    await sending;
    await letGo(wise);
    await age(wise);
    await sweepNow();
    const [row] = await sql`select id from payouts where tenant_id = ${wise.tenant.id}`;
    await waitFor(
      async () => (await sql`select from payouts where id = ${row?.id} and status = 'processing'`).length > 0,
    );
    const [transfer, ...others] = await transfersOf(wise);
    expect([others, transfer?.payments.length]).toEqual([[], 1]);
  });
});

test('bursts of 429 and 5xx: rejected temporarily, then accepted with the same key', async () => {
  const wise = await connectedWise(sql);
  const key = randomUUID();
  const send = () => pay(wise.apiKey, '/payouts', transferPayout(), { key });
  for (const order of [
    { kind: 'rate_limited' },
    { kind: 'error_before', status: 503 },
    { kind: 'rate_limited', path: '/*/quotes' },
  ] as const) {
    await fault(wise, order);
    const reply = await send();
    expect([reply.status, reply.body.retryable]).toEqual([502, true]);
  }
  bodyOf(await send(), 201);
  expect(await transfersOf(wise)).toHaveLength(1);
});

describe('events', () => {
  test('all lost: the comparison finds sent and returned money', async () => {
    const wise = await connectedWise(sql);
    await wise.control.webhookFault({ kind: 'lost', times: 10_000, account: wise.account.id });
    const sent = await createWisePayout(sql, wise);
    const back = await createWisePayout(sql, wise, dollarPayout());
    await steps(wise, sent, ...SENT);
    await steps(wise, back, ...SENT);
    await even(wise);
    expect((await get(wise.apiKey, sent.path)).status).toBe('paid');
    await steps(wise, back, { step: 'bounce' }, { step: 'refund' });
    await even(wise);
    expect((await get(wise.apiKey, back.path)).status).toBe('failed');
    await untilEvents(sql, wise.tenant, 'payout.paid', 2);
    await untilEvents(sql, wise.tenant, 'payout.failed');
  });

  test.each(['duplicated', 'reordered'] as const)('%s: everything once', async (kind) => {
    const wise = await connectedWise(sql);
    const made = await createWisePayout(sql, wise, dollarPayout());
    await wise.control.webhookFault({ kind, times: 100, account: wise.account.id });
    await steps(wise, made, ...SENT, { step: 'bounce' }, { step: 'refund' });
    await wise.control.releaseEvents();
    await waitForNotifications(sql, wise);
    await untilStatus(wise.apiKey, made.path, 'failed');
    await untilEvents(sql, wise.tenant, 'payout.failed');
    expect(
      (await entriesOf(sql, made.id)).filter(([what]) => what === 'returned').length,
    ).toBeLessThanOrEqual(1);
    await even(wise);
  });

  test('from another account at Wise, and forged ones: 401, counted, not stored', async () => {
    const wise = await connectedWise(sql);
    const made = await createWisePayout(sql, wise);
    await waitForNotifications(sql, wise);
    const url = `${inject('env').FUNCTIONS_URL}/callbacks/providers/wise/${wise.id}`;
    const before = await sql`select from provider_account_events where account_id = ${wise.id}`;
    const body = JSON.stringify({
      event_type: 'transfers#state-change',
      schema_version: '4.0.0',
      sent_at: new Date(),
      data: { resource: { type: 'transfer', id: made.transfer }, current_state: 'outgoing_payment_sent' },
    });
    for (const signature of [undefined, '', 'AAAA', Buffer.alloc(256).toString('base64')]) {
      const headers = {
        'content-type': 'application/json',
        ...(signature !== undefined && { 'X-Signature-SHA256': signature }),
      };
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
    }
    const [row] = await sql`select rejected_events from admin.provider_accounts where id = ${wise.id}`;
    expect(Number(row?.rejected_events)).toBe(4);
    expect(await sql`select from provider_account_events where account_id = ${wise.id}`).toHaveLength(
      before.length,
    );
  });

  test('signed by Wise for a foreign account that uses our URL: nothing changes', async () => {
    const [ours, theirs] = [await connectedWise(sql), await connectedWise(sql)];
    const made = await createWisePayout(sql, ours);
    await waitForNotifications(sql, ours);
    const before = await entriesOf(sql, made.id);
    const url = `${inject('env').FUNCTIONS_URL}/callbacks/providers/wise/${ours.id}`;
    const subscribed = await fetch(
      `${inject('env').WISE_URL}/2026Q3/profiles/${theirs.account.profile}/subscriptions`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${theirs.account.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          name: 'Elsewhere',
          trigger_on: 'transfers#state-change',
          delivery: { version: '4.0.0', url },
        }),
      },
    );
    expect(subscribed.status).toBe(200);
    const { id: subscription } = await subscribed.json();
    const other = await createWisePayout(sql, theirs);
    await steps(theirs, other, ...SENT);
    await waitForNotifications(sql, theirs);

    const arrived = await theirs.control.deliveries({ endpoint: subscription });
    const statuses = arrived.flatMap(({ attempts }) => attempts);
    // 0: a busy machine did not respond in time, and Wise sends it again.
    expect(new Set(statuses.filter((status) => status !== 0))).toEqual(new Set([200]));
    // Stored because Wise sent them, but unrelated to this account.
    const kept = await sql`
      select about from provider_account_events where account_id = ${ours.id} and body like ${`%${other.transfer}%`}`;
    expect(kept.length).toBeGreaterThan(0);
    for (const { about } of kept) expect(about).toBeNull();
    expect((await get(ours.apiKey, made.path)).status).toBe('processing');
    expect(await entriesOf(sql, made.id)).toEqual(before);
    expect((await get(theirs.apiKey, other.path)).status).toBe('paid');
    await steps(ours, made, ...SENT);
    await even(ours);
    await even(theirs);
  });

  test('the test notification of a new subscription returns 200', async () => {
    const wise = await connectedWise(sql);
    // A URL that returns any other status cannot be subscribed.
    expect((await wise.control.account(wise.account.id)).subscriptions).toHaveLength(3);
    expect(await sql`select from provider_account_events where account_id = ${wise.id}`).toHaveLength(0);
  });
});

test('a revoked token makes the account failing; a new one with the same id continues', async () => {
  const wise = await connectedWise(sql);
  const made = await createWisePayout(sql, wise);
  await wise.control.token(wise.account.id, wise.account.token, { enabled: false });
  const refused = await pay(wise.apiKey, '/payouts', transferPayout());
  expect([refused.status, refused.body.code]).toEqual([502, 'provider_error']);
  expect((await untilAccount(sql, wise.id, 'failing')).reason).toMatch(/key/);
  const waiting = await pay(wise.apiKey, '/payouts', transferPayout());
  expect([waiting.status, waiting.body.retryable, waiting.headers.get('retry-after')]).toEqual([
    502,
    true,
    '60',
  ]);
  await steps(wise, made, ...SENT);
  const token = randomUUID();
  await wise.control.token(wise.account.id, token, { enabled: true });
  const settings = { profile_id: wise.account.profile, source_currency: 'EUR' };
  const [again] =
    await sql`select admin.connect_wise(${wise.tenant.id}, ${token}, ${sql.json(settings)}) as id`;
  expect(again?.id).toBe(wise.id);
  await untilAccount(sql, wise.id, 'active');
  await reconcile(sql, wise.id);
  await untilStatus(wise.apiKey, made.path, 'paid');
  expect(await transfersOf(wise)).toHaveLength(1);
});

test('two tenants never affect each other', async () => {
  const [ours, theirs] = [await connectedWise(sql), await connectedWise(sql)];
  const [mine, other] = [await createWisePayout(sql, ours), await createWisePayout(sql, theirs)];
  expect((await pay(theirs.apiKey, mine.path)).status).toBe(404);
  expect((await pay(theirs.apiKey, `${mine.path}/cancel`, {})).status).toBe(404);
  await steps(theirs, other, ...SENT);
  await untilStatus(theirs.apiKey, other.path, 'paid');
  await waitForNotifications(sql, theirs);
  expect((await get(ours.apiKey, mine.path)).status).toBe('processing');
  const taken = await createPayTenant(sql);
  const settings = sql.json({ profile_id: ours.account.profile, source_currency: 'EUR' });
  await expect(
    sql`select admin.connect_wise(${taken.id}, ${ours.account.token}, ${settings})`,
  ).rejects.toThrow(/another account/);
  await steps(ours, mine, ...SENT);
  await untilStatus(ours.apiKey, mine.path, 'paid');
  await even(ours);
  await even(theirs);
});
