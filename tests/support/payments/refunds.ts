// Refunds that callers request, and their results.
import type postgres from 'postgres';
import { waitFor } from '../wait-for.ts';
import { bodyOf, get } from './payment-flows.ts';
import { type PayCallOptions, pay } from './payments.ts';

export const refund = (
  { apiKey }: { apiKey: string },
  invoiceId: string,
  body: unknown = {},
  options?: PayCallOptions,
) => pay(apiKey, `/invoices/${invoiceId}/refunds`, body, options);

/** An accepted refund. */
export const refunded = async (...order: Parameters<typeof refund>) => bodyOf(await refund(...order), 201);

export const refundsOf = async ({ apiKey }: { apiKey: string }, invoiceId: string) =>
  (await get(apiKey, `/invoices/${invoiceId}/refunds`)).data;

/** Waits until a refund has this status. */
export const untilRefund = (
  { apiKey }: { apiKey: string },
  { id, invoice_id: invoiceId }: { id: string; invoice_id: string },
  status: string,
) =>
  waitFor(async () => {
    const found = await get(apiKey, `/invoices/${invoiceId}/refunds/${id}`);
    return found.status === status && found;
  });

/** Events of refunds and disputes of a tenant, oldest first. */
export const returnEvents = async (sql: postgres.Sql, { id }: { id: string }): Promise<string[]> =>
  (
    await sql`
      select type from events
      where tenant_id = ${id} and (type like 'invoice.refund%' or type like 'invoice.dispute%') order by sequence`
  ).map(({ type }) => type);

/** Runs the job that follows up on a refund. */
export async function followNow(sql: postgres.Sql, refundId: string): Promise<boolean> {
  const due = await sql`
    update jobs set due_at = now(), published_at = null
    where name = 'follow-refund' and key = ${refundId} and locked_until is null and finished_at is null returning id`;
  return due.length > 0;
}
