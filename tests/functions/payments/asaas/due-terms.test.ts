// Invoices with a due date at Asaas: the orders that Asaas receives, the amounts that payers pay, and the entries in ledger and statement.
import { expect, test } from 'vitest';
import { bankDayFrom } from '../../../../shared/payments/formats/business-days.ts';
import { addDays, dayInSaoPaulo } from '../../../../shared/payments/formats/sao-paulo.ts';
import {
  type AsaasTenant,
  connectAsaasTenant,
  entriesOf,
  sent,
  waitForNotifications,
} from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin, openDifferences, reconcile } from '../../../support/payments/connected-tenant.ts';
import {
  bodyOf,
  createInvoice,
  faultsOf,
  get,
  untilStatus,
} from '../../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../../support/payments/payments.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();
const day = (daysOn = 0) => addDays(dayInSaoPaulo(new Date()), daysOn);
/** A business day, so that no term moves to a later one. */
const DUE = bankDayFrom(day(10));
const due = (more: Record<string, unknown> = {}, type = 'boleto') => ({
  amount: 100_000,
  payment_method: { type, due_date: DUE, ...more },
});
/** The last business day before today. */
function lastBankDay(): string {
  let daysAgo = 1;
  while (bankDayFrom(day(-daysAgo)) !== day(-daysAgo)) daysAgo++;
  return day(-daysAgo);
}
const LATE = { fine_percent: 2, interest_percent_month: 1 };

async function expectReconciled(tenant: AsaasTenant): Promise<void> {
  await reconcile(sql, tenant);
  expect([...(await openDifferences(sql, tenant))]).toEqual([]);
  const [{ balance = 0 } = {}] = await sql`
    select coalesce(sum(net), 0)::integer as balance from balance_transactions where tenant_id = ${tenant.id}`;
  const { statement } = await tenant.control.account(tenant.asaasId);
  expect(balance).toBe(statement.at(-1)?.balance ?? 0);
}

/** Pays an invoice with PIX, so that the money arrives immediately. Returns the invoice and its entries. */
async function paid(more: Record<string, unknown>, payment: object) {
  const tenant = await connectAsaasTenant(sql, { balance: 0 });
  const { id } = await createInvoice(tenant.apiKey, due(more, 'pix'));
  await tenant.payment(id, 'pay', payment);
  await waitForNotifications(sql, tenant);
  const entries = async () =>
    (await entriesOf(sql, tenant, id)).map(({ reason, amount, net }) => [reason, amount, net]);
  return { tenant, id, entries, found: await get(tenant.apiKey, `/invoices/${id}`) };
}

const charge = [null, 100_000, 99_801];

test('a retry after midnight of a request that was due on that day: the same invoice', async () => {
  const tenant = await connectAsaasTenant(sql);
  const [key, another] = [crypto.randomUUID(), crypto.randomUUID()];
  const dueOn = (due_date: string) => invoice({ payment_method: { type: 'pix', due_date } });
  await tenant.fault({ kind: 'cut_after', method: 'POST', path: '/payments' });
  await tenant.fault({ kind: 'error_before', method: 'GET', path: '/payments' });
  expect((await pay(tenant.apiKey, '/invoices', dueOn(day()), { key })).status).toBe(502);
  // The job that looks for the invoice gets no response, and then waits.
  await waitFor(async () => {
    const waiting = await sql`
      update jobs set due_at = '2999-01-01' where tenant_id = ${tenant.id} and name = 'recover-order' and attempts > 0
        and locked_until is null returning id`;
    return waiting.length > 0;
  });
  // The retry is sent on the next day: its due date is yesterday's.
  faultsOf(await pay(tenant.apiKey, '/invoices', dueOn(day(-1)), { key: another }), 422, 'validation_error');
  await sql`
    update idempotency_keys k set fingerprint = o.fingerprint from idempotency_keys o
    where k.tenant_id = ${tenant.id} and k.key = ${key} and o.tenant_id = k.tenant_id and o.key = ${another}`;
  const made = bodyOf(await pay(tenant.apiKey, '/invoices', dueOn(day(-1)), { key }), 201);
  expect(made).toMatchObject({ status: 'open', payment_method: { due_date: day() } });
  expect(await tenant.there('payments', made.id)).toHaveLength(1);
});

test('sends exactly the requested terms to Asaas', async () => {
  const tenant = await connectAsaasTenant(sql);
  const full = { ...LATE, days_after_due: 5, discount: { percent: 5, days_before_due: 3 } };
  await createInvoice(tenant.apiKey, due(full));
  await createInvoice(tenant.apiKey, due({ fine_percent: 0, discount: { amount: 250 } }, 'pix'));
  await createInvoice(tenant.apiKey);
  const [first, second, plain] = (await sent(tenant, 'POST', '/payments')).map(({ body }) => body);
  expect(first).toMatchObject({
    dueDate: DUE,
    fine: { value: 2, type: 'PERCENTAGE' },
    interest: { value: 1 },
    discount: { value: 5, type: 'PERCENTAGE', dueDateLimitDays: 3 },
  });
  expect(second).toMatchObject({ discount: { value: 2.5, type: 'FIXED', dueDateLimitDays: 0 } });
  for (const name of ['fine', 'interest']) expect(second).not.toHaveProperty(name);
  for (const name of ['fine', 'interest', 'discount']) expect(plain).not.toHaveProperty(name);
});

test('a boleto with another due date is rejected and deleted at Asaas', async () => {
  const tenant = await connectAsaasTenant(sql, { options: { artifacts: 'wrong_due_date' } });
  const reply = await pay(tenant.apiKey, '/invoices', invoice(due()));
  expect([reply.status, reply.body.code, reply.body.retryable]).toEqual([502, 'provider_error', false]);
  const { payments } = await tenant.control.account(tenant.asaasId);
  expect(payments).toMatchObject([{ deleted: true }]);
});

test('ten days late: fine and interest, as on the statement', async () => {
  const { tenant, found, entries, id } = await paid(LATE, { on: addDays(DUE, 10) });
  expect(found).toMatchObject({
    ...{ status: 'paid', amount: 100_000, fee: 199, net: 99_801 },
    ...{ paid_amount: 102_333, fine: 2000, interest: 333, discount: 0, paid_on: addDays(DUE, 10) },
  });
  const all = [charge, ['fine', 2000, 2000], ['interest', 333, 333]];
  expect(await entries()).toEqual(all);
  await expectReconciled(tenant);
  expect(await entries()).toEqual(all);
  // Paid twice: the second payment is an overpayment, even if the first was late.
  await tenant.payment(id, 'pay-again');
  await waitForNotifications(sql, tenant);
  expect(await entries()).toEqual([...all, ['overpaid', 102_333, 102_333], ['fee_correction', -199, -199]]);
  expect(await get(tenant.apiKey, `/invoices/${id}`)).toMatchObject({ paid_amount: 204_666, fine: 2000 });
  await expectReconciled(tenant);
});

test('early, with the discount', async () => {
  const { tenant, found, entries } = await paid({ discount: { percent: 5 } }, {});
  expect(found).toMatchObject({
    status: 'paid',
    paid_amount: 95_000,
    discount: 5000,
    paid_on: day(),
    net: 99_801,
  });
  expect(await entries()).toEqual([charge, ['discount', -5000, -5000]]);
  await expectReconciled(tenant);
});

test('too little is a partial payment, and it stays open; too much when late is an overpayment', async () => {
  const short = await paid({ discount: { percent: 5 } }, { value: 949.98 });
  expect(short.found).toMatchObject({ status: 'open', paid_amount: null });
  expect(await short.entries()).toEqual([['partial_payment', 94_799, 94_799]]);
  await expectReconciled(short.tenant);
  const long = await paid(LATE, { on: addDays(DUE, 10), value: 1030 });
  expect(long.found).toMatchObject({ paid_amount: 103_000, fine: 2000, interest: 333 });
  expect(await long.entries()).toEqual([
    charge,
    ['fine', 2000, 2000],
    ['interest', 333, 333],
    ['overpaid', 667, 667],
  ]);
  await expectReconciled(long.tenant);
});

test('all webhooks lost: the comparison has the same result', async () => {
  const tenant = await connectAsaasTenant(sql, { balance: 0 });
  const { id } = await createInvoice(tenant.apiKey, due(LATE, 'pix'));
  await tenant.webhookFault({ kind: 'lost', times: 9 });
  await tenant.payment(id, 'pay', { on: addDays(DUE, 2) });
  await expectReconciled(tenant);
  expect(await get(tenant.apiKey, `/invoices/${id}`)).toMatchObject({
    ...{ status: 'paid', paid_amount: 102_067, fine: 2000, interest: 67, paid_on: addDays(DUE, 2) },
  });
});

test('overdue changes nothing until the last day has ended; then it is deleted, and a later payment pays it', async () => {
  const tenant = await connectAsaasTenant(sql, { balance: 0 });
  const { id } = await createInvoice(tenant.apiKey, due(LATE, 'pix'));
  await tenant.payment(id, 'overdue');
  await waitForNotifications(sql, tenant);
  expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('open');
  // On a bank day: what expires on other days is payable until the next one.
  await sql`update invoices set expires_at = ${`${lastBankDay()}T12:00:00-03:00`} where id = ${id}`;
  await sql`
    update jobs set due_at = now(), published_at = null where tenant_id = ${tenant.id} and name = 'expire-invoice'`;
  await sweepNow();
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'failed');
  expect(await tenant.there('payments', id)).toMatchObject([{ deleted: true }]);
  await tenant.payment(id, 'pay', { on: day(60), value: 1053.34 });
  const late = await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  expect(late.paid_amount).toBe(105_334);
  await expectReconciled(tenant);
});
