// Common steps of tests of payments: a tenant with payments, its resources, and waiting for a state.
import type postgres from 'postgres';
import { expect } from 'vitest';
import { createTenant, type Tenant } from '../database.ts';
import type { Reply } from '../gamification/sync.ts';
import { waitFor } from '../wait-for.ts';
import { invoice, PAYMENT_SCOPES, pay, pixPayout } from './payments.ts';

/** Without a known tax regime, so that no date makes taxes required. */
export async function createPayTenant(sql: postgres.Sql): Promise<Tenant> {
  const tenant = await createTenant(sql, { scopes: PAYMENT_SCOPES });
  await sql`select admin.set_sandbox_tax_regime(${tenant.id}, 'unknown')`;
  return tenant;
}

/** Expects this status and returns the body. Otherwise the test fails and shows the response. */
export function bodyOf(reply: Reply, status: number) {
  expect([reply.status, reply.body]).toEqual([status, expect.anything()]);
  return reply.body;
}

/** Asserts a problem with this status and code. Returns the names of the fields in it. */
export function faultsOf(reply: Reply, status: number, code: string): string[] {
  expect([reply.status, reply.body.code, reply.body]).toEqual([status, code, expect.anything()]);
  return (reply.body.errors ?? []).map(({ field }: { field: string }) => field);
}

export async function createInvoice(apiKey: string, more: Record<string, unknown> = {}) {
  return bodyOf(await pay(apiKey, '/invoices', invoice(more)), 201);
}

export async function createPayout(apiKey: string, body: unknown = pixPayout()) {
  return bodyOf(await pay(apiKey, '/payouts', body), 201);
}

/** Pays an invoice as the payer does. Returns the invoice from the response. */
export async function payInvoice(apiKey: string, id: string) {
  return bodyOf(await pay(apiKey, `/sandbox/invoices/${id}/pay`, {}), 200);
}

export async function paidInvoice(apiKey: string, more: Record<string, unknown> = {}) {
  return payInvoice(apiKey, (await createInvoice(apiKey, more)).id);
}

export async function get(apiKey: string, path: string) {
  return bodyOf(await pay(apiKey, path), 200);
}

/** Waits until the resource at this path has one of these states. Returns it. */
export function untilStatus(apiKey: string, path: string, ...statuses: string[]) {
  return waitFor(async () => {
    const resource = await get(apiKey, path);
    return statuses.includes(resource.status) && resource;
  });
}

export const NFSE = { type: 'nfse', service_code: '01.07' };

/** Requests a tax document of an invoice and waits until it is issued or has failed. */
export async function issued(apiKey: string, invoiceId: string, more: Record<string, unknown> = {}) {
  const path = `/invoices/${invoiceId}/tax-documents`;
  const { id } = bodyOf(await pay(apiKey, path, { ...NFSE, ...more }), 202);
  return untilStatus(apiKey, `${path}/${id}`, 'issued', 'failed');
}
