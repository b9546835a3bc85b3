// A history that nobody thought of: whatever is lost on the way, ledger, statement and balance come to the same cent.
import { expect, test } from 'vitest';
import { type AsaasTenant, connectAsaasTenant, untilTold } from '../../../support/asaas-tenant.ts';
import { connectAdmin, openDifferences, reconcile } from '../../../support/connected-tenant.ts';
import { invoice, pay, pixPayout } from '../../../support/payments.ts';
import { sweepNow } from '../../../support/sandbox.ts';
import type { Reply } from '../../../support/sync.ts';
import { waitFor } from '../../../support/wait-for.ts';

const SEED = Number(process.env.HISTORY_SEED ?? 7);
const STEPS = Number(process.env.HISTORY_STEPS ?? 120);
const sql = connectAdmin();

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Brings forward what waits for its time: retries, looks, leases and looks for payouts. */
async function timePasses({ id }: AsaasTenant): Promise<void> {
  await sql`update idempotency_keys set locked_until = now() - interval '1 second' where tenant_id = ${id} and response_status is null`;
  await sql`update payouts set missed_at = missed_at - interval '1 minute' where tenant_id = ${id} and missed_at is not null`;
  for (const table of ['invoices', 'payouts'])
    await sql`update ${sql(table)} set created = created - interval '3 minutes' where tenant_id = ${id} and status = 'creating'`;
  await sql`
    update jobs set due_at = now(), published_at = null
    where tenant_id = ${id} and finished_at is null and failed_at is null and locked_until is null and due_at > now()
      and name in ('recover-order', 'apply-provider-event')`;
  await sweepNow();
}

/** What Asaas refused waits for its caller alone. */
const settled = async ({ id }: AsaasTenant): Promise<boolean> => {
  const open = await sql`
    select from invoices where tenant_id = ${id} and status = 'creating' and provider_reference is not null
    union all select from payouts where tenant_id = ${id}
      and (status in ('created', 'processing') or (status = 'creating' and ordered_at is not null))`;
  return open.length === 0;
};

test(`${STEPS} steps of seed ${SEED}`, async () => {
  const random = randomOf(SEED);
  const one = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
  const cents = (most: number) => 500 + Math.floor(random() * most);
  const tenant = await connectAsaasTenant(sql, { balance: 0, options: { fees: { transfer: 150 } } });
  const { control, asaasId, apiKey } = tenant;
  /** Keys whose order has no answer yet, with what sends them again. */
  const unanswered = new Map<string, () => Promise<Reply>>();
  const order = async (path: string, body: object) => {
    const key = crypto.randomUUID();
    const send = () => pay(apiKey, path, body, { key });
    if ((await send()).status !== 201) unanswered.set(key, send);
  };
  const paymentsIn = async (...states: string[]) =>
    (await control.account(asaasId)).payments.filter(
      ({ status, deleted }) => states.includes(status) && !deleted,
    );
  /** What the world may not do, such as giving back more than there is, it does not do. */
  const world = (act: Promise<unknown>) => act.catch(() => undefined);
  const onPayment = async (states: string[], act: (id: string) => Promise<unknown>) => {
    const payment = one(await paymentsIn(...states));
    if (payment) await world(act(payment.id));
  };

  const steps: [number, () => Promise<unknown>][] = [
    [
      20,
      () =>
        order(
          '/invoices',
          invoice({ amount: cents(50_000), payment_method: { type: one(['pix', 'boleto', 'bolepix']) } }),
        ),
    ],
    [20, () => onPayment(['PENDING'], (id) => control.pay(asaasId, id))],
    [2, () => onPayment(['PENDING'], (id) => control.pay(asaasId, id, { value: cents(9000) / 100 }))],
    [2, () => onPayment(['PENDING'], (id) => control.payment(asaasId, id, 'delete'))],
    [2, () => onPayment(['PENDING'], (id) => control.payment(asaasId, id, 'receive-in-cash'))],
    [
      2,
      () =>
        onPayment(['RECEIVED'], (id) =>
          control.payment(asaasId, id, 'pay-again', { as: one(['new_payment', 'credit']) }),
        ),
    ],
    [
      6,
      () =>
        onPayment(['RECEIVED'], (id) => control.payment(asaasId, id, 'refund', { value: cents(3000) / 100 })),
    ],
    [3, () => onPayment(['RECEIVED'], (id) => control.payment(asaasId, id, 'refund'))],
    [
      2,
      () => onPayment(['RECEIVED'], (id) => control.payment(asaasId, id, 'chargeback', { step: 'request' })),
    ],
    [
      2,
      () =>
        onPayment(['CHARGEBACK_REQUESTED'], (id) =>
          control.payment(asaasId, id, 'chargeback', { step: 'reversed' }),
        ),
    ],
    [8, () => order('/payouts', pixPayout({ amount: cents(9000) }))],
    [
      1,
      () =>
        world(
          control.balance(asaasId, { step: one(['block', 'unblock']) ?? 'block', value: cents(2000) / 100 }),
        ),
    ],
    [
      1,
      () => world(control.statement(asaasId, { type: 'PAYMENT_MESSAGING_NOTIFICATION_FEE', value: -0.99 })),
    ],
    [
      6,
      () =>
        tenant.webhookFault({ kind: one(['lost', 'lost', 'duplicated', 'reordered']) ?? 'lost', times: 2 }),
    ],
    [
      5,
      () =>
        tenant.fault({
          kind:
            one(['cut_before', 'cut_after', 'error_before', 'error_after', 'rate_limited']) ?? 'cut_after',
          method: one(['POST', 'GET']),
        }),
    ],
    [3, async () => await one([...unanswered.values()])?.()],
    [3, () => timePasses(tenant)],
    [1, () => reconcile(sql, tenant)],
  ];
  const weights = steps.reduce((sum, [weight]) => sum + weight, 0);
  for (let done = 0; done < STEPS; done++) {
    let left = random() * weights;
    for (const [weight, step] of steps) {
      left -= weight;
      if (left >= 0) continue;
      await step();
      break;
    }
  }

  // The world is whole again, and all that was begun comes to its end.
  await control.clearFaults();
  await control.clearWebhookFaults();
  for (const send of unanswered.values())
    await waitFor(async () => {
      const { status, body } = await send();
      // What Asaas refuses, such as a payout of more than there is, it refuses again.
      if (status !== 409 && !body.retryable) return true;
      await timePasses(tenant);
      return false;
    });
  await waitFor(async () => {
    await timePasses(tenant);
    if (await settled(tenant)) return true;
    await reconcile(sql, tenant);
    return settled(tenant);
  });
  await untilTold(sql, tenant);
  await reconcile(sql, tenant);

  expect([...(await openDifferences(sql, tenant))]).toEqual([]);
  const [{ balance = 0 } = {}] = await sql`
    select coalesce(sum(net), 0)::integer as balance from balance_transactions where tenant_id = ${tenant.id}`;
  const { statement, payments, transfers } = await control.account(asaasId);
  const stated = statement.reduce((sum, { value }) => sum + value, 0);
  expect(statement.at(-1)?.balance).toBe(stated);
  // A boleto is paid a day before its money is there.
  const onTheWay = payments.filter(({ status, credited }) => status === 'CONFIRMED' && !credited);
  expect(balance).toBe(onTheWay.reduce((sum, { value, fee }) => sum + value - fee, stated));
  // One order is one there, but for payers who paid it again.
  const sentOnce = (references: (string | null)[]) =>
    expect(new Set(references).size).toBe(references.length);
  sentOnce(transfers.map(({ externalReference }) => externalReference));
  const made =
    await sql`select count(*)::integer as charges from invoices where tenant_id = ${tenant.id} and status <> 'creating'`;
  expect(new Set(payments.map(({ externalReference }) => externalReference)).size).toBe(made[0]?.charges);
});
