// Concurrent requests with different keys for the same purpose: one succeeds, and the others get an error.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { invoice, PAYMENT_SCOPES, pay, transferPayout } from '../../support/payments/payments.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const taxed = { tax_document: { auto_issue: false, service_code: '1.01' } };
const issue = { type: 'nfse', service_code: '1.01' };

const atOnce = (apiKey: string, path: string, times = 4) =>
  Promise.all(Array.from({ length: times }, () => pay(apiKey, path, {})));

async function expectOneWinner(replies: { status: number; body: { code?: string } }[], code: string) {
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(replies.length - 1).fill(409)]);
  for (const { status, body } of replies) if (status === 409) expect(body.code).toBe(code);
}

describe('the same operation, several times concurrently', () => {
  test('canceling an invoice', async () => {
    const { apiKey } = await createTenant(sql, { scopes: PAYMENT_SCOPES });
    const { id } = (await pay(apiKey, '/invoices', invoice())).body;
    await expectOneWinner(await atOnce(apiKey, `/invoices/${id}/cancel`), 'invoice_not_cancelable');
  });

  test('paying an invoice', async () => {
    const { apiKey } = await createTenant(sql, { scopes: PAYMENT_SCOPES });
    const { id } = (await pay(apiKey, '/invoices', invoice())).body;
    await expectOneWinner(await atOnce(apiKey, `/sandbox/invoices/${id}/pay`), 'invoice_not_payable');
  });

  test('canceling a payout', async () => {
    const { apiKey } = await createTenant(sql, { scopes: PAYMENT_SCOPES });
    const { id } = (await pay(apiKey, '/payouts', transferPayout())).body;
    await expectOneWinner(await atOnce(apiKey, `/payouts/${id}/cancel`), 'payout_not_cancelable');
  });

  test('canceling a tax document', async () => {
    const { apiKey } = await createTenant(sql, { scopes: PAYMENT_SCOPES });
    const { id } = (await pay(apiKey, '/invoices', invoice(taxed))).body;
    const document = `/invoices/${id}/tax-documents/${(await pay(apiKey, `/invoices/${id}/tax-documents`, issue)).body.id}`;
    await waitFor(async () => (await pay(apiKey, document)).body.status === 'issued');
    await expectOneWinner(await atOnce(apiKey, `${document}/cancel`), 'tax_document_not_cancelable');
  });
});

test('a tax document that is requested while its invoice is canceled never outlives it, here or at the municipality', async () => {
  const { id: tenantId, apiKey } = await createTenant(sql, { scopes: PAYMENT_SCOPES });
  for (let round = 0; round < 12; round++) {
    const { id } = (await pay(apiKey, '/invoices', invoice(taxed))).body;
    const asking = pay(apiKey, `/invoices/${id}/tax-documents`, issue);
    // In some rounds, the document has time to be issued, or partly issued, first.
    if (round % 3 > 0) await asking;
    if (round % 3 > 1) {
      await waitFor(
        async () =>
          (
            await sql`select from private.sandbox_orders where kind = 'tax_document' and reference in (select d.id from tax_documents d where d.invoice_id = ${id})`
          ).length > 0,
      );
    }
    const canceled = await pay(apiKey, `/invoices/${id}/cancel`, {});
    expect([200, 202, 409]).toContain((await asking).status);
    expect(canceled.status).toBe(200);
  }
  await waitFor(async () => {
    const open = await sql`
      select from jobs where tenant_id = ${tenantId} and name = 'issue-tax-document' and finished_at is null`;
    return open.length === 0;
  });
  const left = await sql`
    select i.status as invoice, d.status as document, o.status as at_the_municipality
    from invoices i
    join tax_documents d on d.tenant_id = i.tenant_id and d.invoice_id = i.id
    left join private.sandbox_orders o on o.kind = 'tax_document' and o.reference = d.id
    where i.tenant_id = ${tenantId} and (d.status = 'issued' or o.status = 'issued')`;
  expect(left).toEqual([]);
});
