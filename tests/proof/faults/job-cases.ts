// Payment jobs at Asaas that tests kill: how to create each job, its purpose, and a check that it ran once. Provider events do not
// arrive, because an event would finish the interrupted work.
import type postgres from 'postgres';
import { expect } from 'vitest';
import { atAsaas } from '../../support/payments/accounts-at-fakes.ts';
import {
  ASAAS_SETTINGS,
  type AsaasTenant,
  connectAsaasTenant,
  entriesOf,
} from '../../support/payments/asaas-tenant.ts';
import { openDifferences, reconcile } from '../../support/payments/connected-tenant.ts';
import { type HiddenJob, hideJob } from '../../support/payments/killable-workers.ts';
import { createInvoice, createPayout, createPayTenant, get } from '../../support/payments/payment-flows.ts';
import { pixPayout } from '../../support/payments/payments.ts';
import { waitFor } from '../../support/wait-for.ts';

export interface JobCase {
  job: HiddenJob;
  /** Whether the job has achieved its purpose. */
  isOver(): Promise<boolean>;
  expectOnce(): Promise<void>;
}

export interface Connections {
  /** Its changes are announced to the stack. */
  admin: postgres.Sql;
  /** Its changes are not announced. */
  silent: postgres.Sql;
}

type MakeCase = (connections: Connections) => Promise<JobCase>;

async function withoutEvents(
  { admin }: Connections,
  options?: Parameters<typeof connectAsaasTenant>[1],
): Promise<AsaasTenant> {
  const tenant = await connectAsaasTenant(admin, options);
  await tenant.webhookFault({ kind: 'lost', times: 100_000 });
  return tenant;
}

/** Creates a job that only the killed workers know about. */
async function hidden(
  { silent }: Connections,
  job: HiddenJob,
  cause?: (tx: postgres.TransactionSql) => Promise<unknown>,
): Promise<HiddenJob> {
  await silent.begin(async (tx) => {
    await cause?.(tx);
    await hideJob(tx, job);
  });
  return job;
}

const statusAt = async ({ apiKey }: AsaasTenant, path: string): Promise<string> =>
  (await get(apiKey, path)).status;

/** The ledger contains these entries in addition to the initial ones, and another comparison adds none. */
async function expectEntries({ admin }: Connections, tenant: AsaasTenant, entries: object[]): Promise<void> {
  const entered = async () =>
    (await entriesOf(admin, tenant)).filter(({ reason }) => reason !== 'balance_released');
  await reconcile(admin, tenant);
  expect(await openDifferences(admin, tenant)).toEqual([]);
  expect(await entered()).toMatchObject(entries);
  const { statement } = await tenant.control.account(tenant.asaasId, 'statement');
  const stated = statement.reduce((sum, { value }) => sum + value, 0);
  const ledger = (await entriesOf(admin, tenant)).reduce((sum, { net }) => sum + net, 0);
  expect(ledger).toBe(stated);
}

const toldOf = (sql: postgres.Sql, tenantId: string, id: string) => sql`
  select type from events where tenant_id = ${tenantId} and data ->> 'id' = ${id} order by created_at, id`;

async function expectToldOnce({ admin }: Connections, { id }: AsaasTenant, about: string, type: string) {
  expect((await toldOf(admin, id, about)).filter((event) => event.type === type)).toHaveLength(1);
}

const checkProvider: MakeCase = async ({ admin, silent }) => {
  const control = atAsaas();
  const { id: asaasId, apiKey } = await control.createAccount({});
  const tenant = await createPayTenant(admin);
  const accountId = await silent.begin(async (tx) => {
    const [row] =
      await tx`select admin.connect_asaas(${tenant.id}, ${apiKey}, ${tx.json(ASAAS_SETTINGS)}) as id`;
    await hideJob(tx, { name: 'check-provider', key: row?.id });
    return row?.id as string;
  });
  const account = async () =>
    (
      await admin`
        select status, webhook_state, rejected_events::integer from provider_accounts where id = ${accountId}`
    )[0];
  return {
    job: { name: 'check-provider', key: accountId },
    isOver: async () => (await account())?.status === 'active',
    async expectOnce() {
      expect((await control.account(asaasId, 'webhooks')).webhooks).toHaveLength(1);
      const comparisons =
        await admin`select from jobs where name = 'reconcile-provider' and key = ${accountId} and finished_at is null`;
      expect(comparisons).toHaveLength(1);
      // The stored token proves that the event is authentic.
      const { id } = await createInvoice(tenant.apiKey);
      const [row] = await admin`select provider_reference from invoices where id = ${id}`;
      await control.pay(asaasId, row?.provider_reference);
      await waitFor(async () => (await get(tenant.apiKey, `/invoices/${id}`)).status === 'paid');
      expect(await account()).toEqual({ status: 'active', webhook_state: 'active', rejected_events: 0 });
    },
  };
};

const reconcileProvider: MakeCase = async (connections) => {
  const { admin } = connections;
  const tenant = await withoutEvents(connections);
  const { id } = await createInvoice(tenant.apiKey);
  await tenant.payment(id, 'pay');
  await tenant.payment(id, 'refund', { value: 10 });
  const payout = await createPayout(tenant.apiKey);
  await tenant.control.statement(tenant.asaasId, {
    type: 'PAYMENT_MESSAGING_NOTIFICATION_FEE',
    value: -0.99,
  });
  const comparedAt = async () =>
    (await admin`select reconciled_at from provider_accounts where id = ${tenant.accountId}`)[0]
      ?.reconciled_at;
  const job = await hidden(
    connections,
    { name: 'reconcile-provider', key: tenant.accountId },
    (tx) => tx`select admin.reconcile_provider(${tenant.accountId})`,
  );
  return {
    job,
    isOver: async () => (await comparedAt()) !== null,
    async expectOnce() {
      expect(await statusAt(tenant, `/invoices/${id}`)).toBe('paid');
      expect(await statusAt(tenant, `/payouts/${payout.id}`)).toBe('paid');
      await expectEntries(connections, tenant, [
        { type: 'charge', net: 9801 },
        { reason: 'refund', net: -1000 },
        { type: 'payout', net: -5000 },
        { reason: 'provider_fee', net: -99 },
      ]);
      await expectToldOnce(connections, tenant, id, 'invoice.paid');
      await expectToldOnce(connections, tenant, id, 'invoice.refunded');
      await expectToldOnce(connections, tenant, payout.id, 'payout.paid');
    },
  };
};

const followPayout: MakeCase = async (connections) => {
  const tenant = await withoutEvents(connections, { options: { transfers: 'held' } });
  const { id } = await createPayout(tenant.apiKey);
  await tenant.control.transfer(tenant.asaasId, await tenant.referenceOf('payouts', id), { step: 'done' });
  return {
    job: await hidden(connections, { name: 'follow-payout', key: id }),
    isOver: async () => (await statusAt(tenant, `/payouts/${id}`)) === 'paid',
    async expectOnce() {
      await expectEntries(connections, tenant, [{ type: 'payout', amount: -5000 }]);
      await expectToldOnce(connections, tenant, id, 'payout.paid');
    },
  };
};

const orderPayout: MakeCase = async (connections) => {
  const { admin } = connections;
  const tenant = await withoutEvents(connections);
  await admin`select admin.require_payout_approval(${tenant.id}, 1000)`;
  const { id } = await createPayout(tenant.apiKey, pixPayout({ amount: 5000 }));
  const job = await hidden(
    connections,
    { name: 'order-payout', key: id },
    (tx) => tx`select admin.approve_payout(${id})`,
  );
  return {
    job,
    async isOver() {
      // Sent again after two lookups half a minute apart.
      await connections.silent`
        update payouts set missed_at = missed_at - interval '1 minute' where id = ${id} and missed_at is not null`;
      return (await statusAt(tenant, `/payouts/${id}`)) !== 'created';
    },
    async expectOnce() {
      expect(await tenant.there('transfers', id)).toHaveLength(1);
      await expectEntries(connections, tenant, [{ type: 'payout', amount: -5000 }]);
      expect(await statusAt(tenant, `/payouts/${id}`)).toBe('paid');
      await expectToldOnce(connections, tenant, id, 'payout.paid');
    },
  };
};

const followRefund: MakeCase = async (connections) => {
  const { silent } = connections;
  const tenant = await withoutEvents(connections, { balance: 100 });
  const { id: invoiceId } = await createInvoice(tenant.apiKey);
  await tenant.payment(invoiceId, 'pay');
  await reconcile(connections.admin, tenant);
  const [refund] = await silent.begin(async (tx) => {
    const rows = await tx`
      insert into refunds (tenant_id, invoice_id, amount, currency, provider, provider_account_id)
      values (${tenant.id}, ${invoiceId}, 6000, 'BRL', 'asaas', ${tenant.accountId}) returning id`;
    await hideJob(tx, { name: 'follow-refund', key: rows[0]?.id });
    return rows;
  });
  const id: string = refund?.id;
  return {
    job: { name: 'follow-refund', key: id },
    async isOver() {
      // Sent again after two lookups half a minute apart.
      await silent`
        update refunds set missed_at = missed_at - interval '1 minute' where id = ${id} and missed_at is not null`;
      const [row] = await silent`select from refunds where id = ${id} and status = 'succeeded'`;
      return row !== undefined;
    },
    async expectOnce() {
      const [payment] = await tenant.there('payments', invoiceId);
      expect(payment.refunds).toMatchObject([{ value: 6000, status: 'DONE' }]);
      await expectEntries(connections, tenant, [
        { type: 'charge', amount: 10000 },
        { reason: 'refund', amount: -6000 },
      ]);
      await expectToldOnce(connections, tenant, id, 'invoice.refund.succeeded');
    },
  };
};

const issueTaxDocument: MakeCase = async (connections) => {
  const tenant = await withoutEvents(connections);
  const { id: invoiceId } = await createInvoice(tenant.apiKey);
  const [document] = await connections.silent.begin(async (tx) => {
    const rows = await tx`
      insert into tax_documents (tenant_id, invoice_id, type, service_code, provider, provider_account_id)
      values (${tenant.id}, ${invoiceId}, 'nfse', '01.07', 'asaas', ${tenant.accountId}) returning id`;
    await hideJob(tx, { name: 'issue-tax-document', key: rows[0]?.id });
    return rows;
  });
  const id: string = document?.id;
  const path = `/invoices/${invoiceId}/tax-documents/${id}`;
  return {
    job: { name: 'issue-tax-document', key: id },
    isOver: async () => (await statusAt(tenant, path)) === 'issued',
    async expectOnce() {
      const [there, ...others] = await tenant.there('invoices', id);
      expect(others).toEqual([]);
      const shown = await get(tenant.apiKey, path);
      expect(shown.document_number).toBe(String(there.number));
      for (const address of [shown.pdf_url, shown.xml_url]) expect((await fetch(address)).status).toBe(200);
      await expectToldOnce(connections, tenant, id, 'tax_document.issued');
    },
  };
};

export const jobCases: Readonly<Record<string, MakeCase>> = {
  'check-provider': checkProvider,
  'reconcile-provider': reconcileProvider,
  'follow-payout': followPayout,
  'order-payout': orderPayout,
  'follow-refund': followRefund,
  'issue-tax-document': issueTaxDocument,
};
