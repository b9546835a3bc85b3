// Payments and statement lines of an order, with SQL alone: each line is in the ledger once, in any order of arrival.
import { describe, expect, test, vi } from 'vitest';
import { reconcileAccount } from '../../shared/payments/accounts/reconcile.ts';
import { enterStatementLines } from '../../shared/payments/accounts/reconcile-queries.ts';
import type { StatementLine } from '../../shared/payments/providers/accounts.ts';
import type { ChargePort } from '../../shared/payments/providers/charge-port.ts';
import { ProviderOutcomeUnknown } from '../../shared/payments/providers/errors.ts';
import type { AdjustmentReason, ProviderState } from '../../shared/payments/providers/order-report.ts';
import type { ConnectedProvider } from '../../shared/payments/providers/provider.ts';
import { WORKER_SESSION } from '../../shared/platform/db/database.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';
import { ASAAS_SETTINGS } from '../support/payments/asaas-tenant.ts';

const sql = connectDatabase();

/** An account with a paid charge of 100.00 in the ledger and in the statement. */
async function paidCharge() {
  const database = openDatabase();
  const [tenant] = await sql`select admin.create_tenant('Stated', ${`stated-${crypto.randomUUID()}`}) as id`;
  const tenantId: string = tenant?.id;
  const accountId = await sql.begin(async (tx) => {
    const [account] =
      await tx`select admin.connect_asaas(${tenantId}, ${`$aact_hmlg_${tenantId}`}, ${tx.json(ASAAS_SETTINGS)}) as id`;
    // Nothing runs its jobs.
    await tx`update jobs set published_at = '2999-01-01' where tenant_id = ${tenantId}`;
    return account?.id as string;
  });
  const id = `${tenantId}:paid`;
  await sql`
    insert into invoices (tenant_id, id, status, customer, amount, currency, region, description, payment_method_type, payment_method,
                          provider, provider_account_id, provider_reference, paid_at)
    values (${tenantId}, ${id}, 'paid', '{}', 10000, 'BRL', 'br', 'An order', 'pix', '{}', 'asaas', ${accountId}, 'pay_1', '2026-01-05T12:00:00Z')`;
  const enter = (reason: string, amountMinor: number) => sql`
    insert into balance_transactions
      (tenant_id, type, amount, currency, net, available_on, invoice_id, provider, provider_account_id, reason)
    values (${tenantId}, 'adjustment', ${amountMinor}, 'BRL', ${amountMinor}, current_date, ${id}, 'asaas', ${accountId}, ${reason})`;
  const state = async (id: string, amountMinor: number, reason: AdjustmentReason, isCovered = true) => {
    const line: StatementLine = {
      id,
      at: new Date(),
      currency: 'BRL',
      amountMinor,
      description: 'line',
      order: { kind: 'charge', providerReference: 'pay_1' },
      reason,
      ...(isCovered ? {} : { orderReason: reason }),
    };
    await database.transaction(WORKER_SESSION, (sql) =>
      enterStatementLines(sql, accountId, [{ ...line, ourId: undefined }]),
    );
  };
  await enter('received_outside', 10000);
  await state('charge', 10000, 'received_outside');
  return {
    tenantId,
    accountId,
    id,
    enter,
    state,
    enterUncovered: () => sql`
      select app.enter_uncovered_lines(${accountId}, '[{"kind": "charge", "provider_reference": "pay_1"}]')`,
    async tell(change: 'blocked' | 'unblocked', amountMinor: number): Promise<void> {
      const about = {
        change,
        type: 'PIX_INFRACTION',
        amountMinor,
        currency: 'BRL',
        providerReference: 'pay_1',
        day: new Date().toISOString().slice(0, 10),
      };
      await sql`select app.store_balance_event(${accountId}, ${`evt_${change}`}, ${sql.json(about)})`;
      await sql`select app.match_balance_event(${accountId}, ${`evt_${change}`})`;
    },
    async entries() {
      const rows = await sql`
        select reason, amount::integer, invoice_id = ${id} as ours from balance_transactions where tenant_id = ${tenantId} order by id`;
      return rows.slice(1).map(({ reason, amount, ours }) => [reason, amount, ours]);
    },
    async disputes() {
      return [...(await sql`select status, amount::integer from disputes where tenant_id = ${tenantId}`)];
    },
    async members(report: object) {
      const [row] = await sql`
        select m.paid_amount::integer, m.paid_on::text
        from invoices i cross join lateral private.paid_members(i, ${sql.json(report as never)}) as m where i.id = ${id}`;
      return row;
    },
  };
}

describe('a line of an unlisted type that names the payment belongs to the event', () => {
  const blocked = ['balance_blocked', -10000, true];

  test.each(['event, line', 'line, event', 'line, comparison, event'])('%s', async (order) => {
    const charge = await paidCharge();
    for (const step of order.split(', ')) {
      if (step === 'event') await charge.tell('blocked', 10000);
      else if (step === 'line') await charge.state('block', -10000, 'balance_blocked', false);
      else await charge.enterUncovered();
    }
    await charge.enterUncovered();
    expect(await charge.entries()).toEqual([blocked]);
    expect(await charge.disputes()).toEqual([{ status: 'open', amount: 10000 }]);
  });

  test('a line of a refund with the same amount does not', async () => {
    const charge = await paidCharge();
    await charge.state('refund', -10000, 'refund');
    await charge.tell('blocked', 10000);
    expect(await charge.disputes()).toEqual([]);
  });
});

test('while a refund is pending, its line is not recorded as something else', async () => {
  const { tenantId, accountId, id, state, entries, enterUncovered } = await paidCharge();
  await sql`
    insert into refunds (tenant_id, invoice_id, status, amount, currency, origin, provider, provider_account_id)
    values (${tenantId}, ${id}, 'pending', 500, 'BRL', 'api', 'asaas', ${accountId})`;
  await state('line', -500, 'balance_blocked', false);
  await enterUncovered();
  expect(await entries()).toEqual([]);
  await sql`update refunds set status = 'failed' where tenant_id = ${tenantId}`;
  await enterUncovered();
  expect(await entries()).toEqual([['balance_blocked', -500, true]]);
});

test('a partial report of what statement lines already cover changes nothing', async () => {
  const { accountId, id, state, entries, enterUncovered } = await paidCharge();
  await state('line', -300, 'returned', false);
  await enterUncovered();
  const report = {
    providerReference: 'pay_1',
    state: { status: 'paid', at: new Date() },
    // The lines contain the 300 that this total excludes.
    adjustments: [{ reason: 'returned', currency: 'BRL', amountMinor: 0 }],
    isPartial: true,
  };
  const [, applied] = await sql.begin((tx) => [
    tx`set local role worker`,
    tx`select app.apply_order_report('invoices', ${id}, ${accountId}, now(), ${tx.json(report as never)}) as outcome`,
  ]);
  expect(applied).toEqual([{ outcome: 'known' }]);
  expect(await entries()).toEqual([['returned', -300, true]]);
});

test('a comparison that cannot read an order records none of its lines as something else', async () => {
  const { accountId, state, entries } = await paidCharge();
  await state('line', -300, 'balance_blocked', false);
  const read = vi.fn<ChargePort['read']>(async () => {
    throw new ProviderOutcomeUnknown('the provider is unreachable');
  });
  const away = async () => {
    throw new Error('is not asked');
  };
  const nothing = async () => ({ items: [], next: undefined });
  const provider: ConnectedProvider = {
    name: 'asaas',
    charges: { create: away, find: away, cancel: away, read },
    ...{ inspectAccount: away, ensureWebhook: away, removeWebhook: away, readBalances: away },
    ...{ mayBeFromProvider: () => false, verifyDelivery: async () => false, readEvents: () => [] },
    ...{ listOrders: nothing, listStatement: nothing },
  };
  const providers = { of: async () => provider, connect: async () => provider };
  const dependencies = {
    database: openDatabase(),
    queue: { publish: async () => true, handOff: async () => true },
    log: silentLogger,
  };
  const compare = () =>
    reconcileAccount(
      accountId,
      { providers, reconcileSeconds: 3600 } as never,
      dependencies,
      AbortSignal.timeout(60_000),
    );
  await compare();
  expect(read).toHaveBeenCalled();
  expect(await entries()).toEqual([]);
  const report = { providerReference: 'pay_1', state: { status: 'paid', at: new Date() } as ProviderState };
  read.mockImplementation(async () => report);
  await compare();
  expect(await entries()).toEqual([['balance_blocked', -300, true]]);
});

describe('the paid amount', () => {
  test('uses the day of the payment if the provider reports none', async () => {
    const { id, members } = await paidCharge();
    const report = { state: { status: 'paid', at: '2026-01-04T01:00:00Z' } };
    expect(await members(report)).toMatchObject({ paid_on: '2026-01-05' });
    await sql`update invoices set paid_at = null where id = ${id}`;
    expect(await members(report)).toMatchObject({ paid_on: '2026-01-03' });
  });

  test('includes an overpayment that is in the ledger but not in the report', async () => {
    const { enter, members } = await paidCharge();
    await enter('overpaid', 500);
    const state = { status: 'paid', at: '2026-01-05T12:00:00Z' };
    expect(await members({ state })).toMatchObject({ paid_amount: 10500 });
    const overpaid = { reason: 'overpaid', currency: 'BRL', amountMinor: 700 };
    expect(await members({ state, adjustments: [overpaid] })).toMatchObject({ paid_amount: 10700 });
  });
});
