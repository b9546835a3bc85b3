// Two processes that use one row concurrently: runs of a job whose lease expired, and a manual change in between.
import { afterAll, expect, inject, test } from 'vitest';
import { setUpProviders } from '../../../shared/payments/provider-registry/set-up-providers.ts';
import { issueTaxDocument } from '../../../shared/payments/tax-documents/issue.ts';
import { createDatabase } from '../../../shared/platform/db/database.ts';
import { readEnv } from '../../../shared/platform/env.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import type { FileStore } from '../../../shared/platform/storage/file-store.ts';
import { connectDatabase, type Tenant } from '../../support/database.ts';
import { withEnvironment } from '../../support/environment.ts';
import { createInvoice, createPayTenant, get } from '../../support/payments/payment-flows.ts';
import { type OrderKind, OUTCOME, stopBefore } from '../../support/payments/stopped-order.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const env = withEnvironment(inject('env'), () =>
  readEnv('app', 'database', 'sandbox', 'qstash', 'providers'),
);
const database = createDatabase(env, silentLogger);
afterAll(() => database.close());
const dependencies = {
  database,
  queue: { publish: async () => true, handOff: async () => true },
  log: silentLogger,
};
const { providers } = setUpProviders(env, dependencies);

/** Stores nothing. `put` waits for `until`. */
const filesAfter = (until: Promise<void>, onPut = () => {}): FileStore => ({
  put: async () => {
    onPut();
    await until;
  },
  remove: async () => {},
  sign: async () => undefined,
});

/** A document that waits for the payment of its invoice, so that only the test's job issues it. */
async function waitingDocument(tenant: Tenant) {
  const taxDocument = { auto_issue: true, type: 'nfse', service_code: '01.07' };
  const invoice = await createInvoice(tenant.apiKey, { tax_document: taxDocument });
  const id: string = invoice.tax_document.id;
  const issue = (files: FileStore) =>
    issueTaxDocument({ tenantId: tenant.id, id }, dependencies, providers, files);
  return { id, path: `/invoices/${invoice.id}/tax-documents/${id}`, issue };
}

/** Whether a transaction waits for a row of this table. */
const isWaitedFor = async (table: string) =>
  (
    await sql`
      select from pg_stat_activity
      where wait_event_type = 'Lock' and query like ${`%public.${table}%`} and pid <> pg_backend_pid()`
  ).length > 0;

const lastNumber = async ({ id }: Tenant, kind: string) =>
  (
    await sql`select last_value::integer as n from document_numbers where tenant_id = ${id} and kind = ${kind}`
  )[0]?.n;

test('a tax document that another run of its job has issued in the meantime is not changed back', async () => {
  const tenant = await createPayTenant(sql);
  const { id, path, issue } = await waitingDocument(tenant);
  let goOn: () => void = () => {};
  let putting = false;
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const slow = issue(
    filesAfter(until, () => {
      putting = true;
    }),
  );
  await waitFor(() => putting);
  await issue(filesAfter(Promise.resolve()));
  goOn();
  await slow;
  expect((await get(tenant.apiKey, path)).status).toBe('issued');
  expect(await sql`select status from private.sandbox_orders where reference = ${id}`).toEqual([
    { status: 'issued' },
  ]);
});

test('a tax document that is changed while it gets its number gets one number', async () => {
  const tenant = await createPayTenant(sql);
  const { id, path, issue } = await waitingDocument(tenant);
  let issuing: Promise<unknown> | undefined;
  await sql.begin(async (tx) => {
    await tx`update tax_documents set metadata = '{}' where id = ${id}`;
    issuing = issue(filesAfter(Promise.resolve()));
    await waitFor(() => isWaitedFor('tax_documents'));
  });
  await issuing;
  expect((await get(tenant.apiKey, path)).document_number).toBe('1');
  expect(await lastNumber(tenant, 'NFSE')).toBe(1);
});

test.each<[OrderKind, string]>([
  ['invoices', 'INV'],
  ['payouts', 'PO'],
])('of %s that is changed while it gets its number gets one number', async (kind, prefix) => {
  const { tenant, wire, sending } = await stopBefore(sql, kind, OUTCOME);
  await sql.begin(async (tx) => {
    await tx`update ${tx(kind)} set metadata = '{}' where tenant_id = ${tenant.id}`;
    wire.open();
    await waitFor(() => isWaitedFor(kind));
  });
  expect((await sending)?.body.our_number).toMatch(new RegExp(`^${prefix}-\\d{4}-000001$`));
  expect(await lastNumber(tenant, prefix)).toBe(1);
});
