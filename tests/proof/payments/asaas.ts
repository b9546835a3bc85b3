// A history of an account at Asaas: regardless of lost messages, ledger, statement and balance match to the cent.
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { PaymentStep } from '../../../local/providers/asaas/index.ts';
import type { Account as AsaasAccount } from '../../../local/providers/asaas/state.ts';
import { addDays, dayInSaoPaulo } from '../../../shared/payments/formats/sao-paulo.ts';
import { connectAsaasTenant } from '../../support/payments/asaas-tenant.ts';
import { openDifferences } from '../../support/payments/connected-tenant.ts';
import { nonZero } from '../../support/payments/connected-wise-stripe.ts';
import { invoice, pixPayout } from '../../support/payments/payments.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createCaller } from './caller.ts';
import { createDice, type HistoryOptions, ifItCan, play, type Weighted } from './play.ts';
import { bringForward, reconcile, waitForNotifications } from './settle.ts';

/** Orders that Asaas rejected wait only for their caller. */
async function isSettled(sql: postgres.Sql, tenantId: string): Promise<boolean> {
  const open = await sql`
    select from invoices where tenant_id = ${tenantId} and status = 'creating' and provider_reference is not null
    union all select from payouts where tenant_id = ${tenantId}
      and (status in ('created', 'processing') or (status = 'creating' and ordered_at is not null))
    union all select from refunds where tenant_id = ${tenantId} and status in ('creating', 'pending')`;
  return open.length === 0;
}

/** Movements without an order: the account's own. */
const ACCOUNT = 'account';

async function ledgerByOrder(sql: postgres.Sql, tenantId: string): Promise<Record<string, number>> {
  const rows = await sql`
    select coalesce(invoice_id, payout_id, ${ACCOUNT}) as order, sum(net)::integer as sum
    from balance_transactions where tenant_id = ${tenantId} group by 1`;
  return nonZero(rows.map(({ order, sum }) => [order, sum]));
}

/** Balance movements by our id of the order, with its paid and available amounts a day later. */
function statedByOrder(
  { statement, payments, transfers }: Pick<AsaasAccount, 'statement' | 'payments' | 'transfers'>,
  claimed: ReadonlyMap<string, string>,
): Record<string, number> {
  const references = new Map([...payments, ...transfers].map((one) => [one.id, one.externalReference]));
  return nonZero([
    ...statement.map(({ id, transferId, type, value, ...line }): [string, number] => {
      // A block caused by a charge belongs to that charge.
      const paymentId = claimed.get(id) ?? line.paymentId;
      // A second line without a payment, or a service fee.
      const isAccounts = type === 'CREDIT' || type.endsWith('_NOTIFICATION_FEE');
      return [(!isAccounts && references.get(paymentId ?? transferId ?? '')) || ACCOUNT, value];
    }),
    ...payments
      .filter(({ status, credited }) => status === 'CONFIRMED' && !credited)
      .map(({ externalReference, value, fee }): [string, number] => [
        externalReference ?? ACCOUNT,
        value - fee,
      ]),
  ]);
}

export async function asaasHistory(sql: postgres.Sql, options: HistoryOptions): Promise<void> {
  const { number, one } = createDice(options.seed);
  const reais = (most: number) => (500 + number(most)) / 100;
  const cents = (most: number) => 500 + number(most);
  const tenant = await connectAsaasTenant(sql, {
    balance: 0,
    options: {
      fees: { transfer: 150 },
    },
  });
  const { id: tenantId, accountId, control, asaasId, apiKey } = tenant;
  const caller = createCaller(apiKey);
  const timePasses = () => bringForward(sql, tenantId);
  const onPayment = async (states: string[], act: (id: string) => Promise<unknown>) => {
    const { payments } = await control.account(asaasId, 'payments');
    const payment = one(payments.filter(({ status, deleted }) => states.includes(status) && !deleted));
    if (payment) await ifItCan(act(payment.id));
  };
  const step = (id: string, kind: PaymentStep, details?: object) =>
    control.payment(asaasId, id, kind, details);

  const invoiceId = () => one(caller.made.filter((id) => id.startsWith('inv_')));
  const blocked = new Set<string>();
  /** Blocks the money of a payment or ends the block: released, or lost with or without an unblocking line. */
  const infraction = () =>
    onPayment(['RECEIVED'], async (id) => {
      const { payments } = await control.account(asaasId, 'payments');
      const payment = payments.find((one) => one.id === id);
      const returned = (payment?.refunds ?? []).filter(({ status }) => status !== 'CANCELLED');
      const left = returned.reduce((sum, one) => sum - one.value, payment?.value ?? 0);
      const value = (payment?.blocked || left) / 100;
      if (value === 0) return;
      const move = (order: 'block' | 'unblock') =>
        control.balance(asaasId, { step: order, value, type: 'PIX_INFRACTION', payment: id });
      if (!blocked.has(id)) {
        blocked.add(id);
        await move('block');
        return;
      }
      const isUnblocked = number(3) > 0;
      if (isUnblocked) await move('unblock');
      if (!isUnblocked || number(2)) await step(id, 'infraction-lost', { stated: isUnblocked });
      else blocked.delete(id);
    });
  const day = (daysOn: number) => addDays(dayInSaoPaulo(new Date()), daysOn);
  /** Half of them have a due date; some of these cost more afterwards or less before. */
  const terms = () => ({
    due_date: day(number(20)),
    ...(number(3) > 0 && { fine_percent: number(201) / 100, interest_percent_month: number(101) / 100 }),
    ...(number(3) > 0 && {
      discount: {
        days_before_due: number(5),
        ...(number(2) ? { percent: (1 + number(3000)) / 100 } : { amount: 1 + number(400) }),
      },
    }),
  });
  const charge = () =>
    invoice({
      amount: cents(50_000),
      payment_method: { type: one(['pix', 'boleto', 'bolepix']), ...(number(2) && terms()) },
    });
  const operations: Weighted[] = [
    [20, () => caller.order('/invoices', charge())],
    [20, () => onPayment(['PENDING'], (id) => control.pay(asaasId, id, { on: day(number(40)) }))],
    [2, () => onPayment(['PENDING'], (id) => control.pay(asaasId, id, { value: reais(9000) }))],
    [2, () => onPayment(['PENDING'], (id) => step(id, 'delete'))],
    [2, () => onPayment(['PENDING'], (id) => step(id, 'receive-in-cash'))],
    [2, () => onPayment(['RECEIVED'], (id) => step(id, 'pay-again', { as: one(['new_payment', 'credit']) }))],
    [6, () => onPayment(['RECEIVED'], (id) => step(id, 'refund', { value: reais(3000) }))],
    [3, () => onPayment(['RECEIVED'], (id) => step(id, 'refund'))],
    [2, () => onPayment(['RECEIVED'], (id) => step(id, 'chargeback', { step: 'request' }))],
    [2, () => onPayment(['CHARGEBACK_REQUESTED'], (id) => step(id, 'chargeback', { step: 'reversed' }))],
    [10, () => caller.order(`/invoices/${invoiceId()}/refunds`, one([{}, { amount: cents(3000) }]) ?? {})],
    [3, () => onPayment(['RECEIVED'], (id) => step(id, 'refund-page'))],
    [2, infraction],
    [
      3,
      async () => {
        const { transfers } = await control.account(asaasId, 'transfers');
        const transfer = one(transfers.filter(({ status, returned }) => status === 'DONE' && returned === 0));
        const fee = number(2) === 0;
        if (transfer)
          await ifItCan(control.transfer(asaasId, transfer.id, { step: 'return', show: 'FAILED', fee }));
      },
    ],
    [8, () => caller.order('/payouts', pixPayout({ amount: cents(9000) }))],
    [
      1,
      () =>
        ifItCan(control.balance(asaasId, { step: one(['block', 'unblock']) ?? 'block', value: reais(2000) })),
    ],
    [
      1,
      () => ifItCan(control.statement(asaasId, { type: 'PAYMENT_MESSAGING_NOTIFICATION_FEE', value: -0.99 })),
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
    [3, () => caller.again(one)],
    [3, timePasses],
    [1, () => reconcile(sql, tenant)],
  ];
  await play({ number, one }, operations, options);

  // All services work again, and all work finishes.
  await control.clearFaults();
  await control.clearWebhookFaults();
  await caller.finish(timePasses);
  for (const { id, refunds } of (await control.account(asaasId, 'payments')).payments)
    if (refunds.some(({ status }) => status === 'AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION'))
      await step(id, 'refund-page');
  await waitFor(async () => {
    await timePasses();
    if (await isSettled(sql, tenantId)) return true;
    await reconcile(sql, tenant);
    return isSettled(sql, tenantId);
  });
  await waitForNotifications(sql, { tenantId, accountId, theirId: asaasId, control });
  await reconcile(sql, tenant);

  expect([...(await openDifferences(sql, tenant))]).toEqual([]);
  const { statement, payments, transfers } = await control.account(
    asaasId,
    'statement',
    'payments',
    'transfers',
  );
  expect(statement.at(-1)?.balance ?? 0).toBe(statement.reduce((sum, { value }) => sum + value, 0));
  const lines = await sql`
    select line_id, provider_reference from provider_statement_lines where account_id = ${accountId} and claimed_by is not null`;
  const claimed = new Map(lines.map(({ line_id: line, provider_reference: of }) => [line, of]));
  const stated = statedByOrder({ statement, payments, transfers }, claimed);
  const entered = await ledgerByOrder(sql, tenantId);
  const differing = Object.keys({ ...stated, ...entered }).filter((id) => stated[id] !== entered[id]);
  if (differing.length > 0) {
    const entries = await sql`
      select coalesce(invoice_id, payout_id) as id, type, reason, net::integer from balance_transactions
      where tenant_id = ${tenantId} and coalesce(invoice_id, payout_id, ${ACCOUNT}) in ${sql(differing)} order by created`;
    const there = [...payments, ...transfers].filter(({ externalReference }) =>
      differing.includes(externalReference ?? ACCOUNT),
    );
    const lines = statement.filter(({ paymentId, transferId }) =>
      there.some(({ id }) => id === (paymentId ?? transferId)),
    );
    console.log(JSON.stringify({ entries, there, lines }, undefined, 1));
  }
  expect(entered).toEqual(stated);
  // The paid amount matches the ledger.
  const divided = await sql`
    select i.id from invoices i
    cross join lateral (
      select coalesce(sum(net) filter (where reason = r), 0)::bigint as sum, r as reason
      from unnest('{fine,interest,discount,overpaid}'::text[]) as r
      left join balance_transactions b on b.tenant_id = i.tenant_id and b.invoice_id = i.id and b.reason = r
      group by r
    ) as e
    where i.tenant_id = ${tenantId} and i.status = 'paid'
    group by i.id, i.amount, i.paid_amount, i.fine, i.interest, i.discount
    having i.paid_amount <> i.amount + sum(e.sum) or i.fine <> sum(e.sum) filter (where e.reason = 'fine')
        or i.interest <> sum(e.sum) filter (where e.reason = 'interest') or i.discount <> -sum(e.sum) filter (where e.reason = 'discount')`;
  expect([...divided]).toEqual([]);
  // Each order exists once at Asaas, except if payers paid it again.
  const ordered = transfers.map(({ externalReference }) => externalReference);
  expect(new Set(ordered).size).toBe(ordered.length);
  const [made] =
    await sql`select count(*)::integer as charges from invoices where tenant_id = ${tenantId} and status <> 'creating'`;
  expect(new Set(payments.map(({ externalReference }) => externalReference)).size).toBe(made?.charges);
}
