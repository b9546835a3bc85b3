// /invoices

import { invoiceFilters, invoiceSource } from '../../shared/payments/invoices/list.ts';
import { type InvoiceRow, invoiceSnapshot } from '../../shared/payments/invoices/queries.ts';
import { listStatement, parseListQuery, toPage } from '../../shared/payments/list.ts';
import { notFound } from '../../shared/payments/not-found.ts';
import type { Endpoint } from '../../shared/platform/http/app.ts';
import type { Tools } from './dependencies.ts';
import { keyedEndpoint } from './idempotent-endpoint.ts';

const docs = () => import('./openapi.ts');
/** Loaded when an invoice is made or canceled, with the rules of every field. */
const creation = () => import('../../shared/payments/invoices/create.ts');
const cancellation = () => import('../../shared/payments/invoices/cancel.ts');

export function invoiceEndpoints({ providers, renderer }: Tools): Endpoint[] {
  return [
    keyedEndpoint(renderer, {
      path: '/invoices',
      successStatus: 201,
      body: 'required',
      docs: async () => (await docs()).createInvoiceDocs,
      run: async ({ context, json }, keyed) =>
        (await creation()).createInvoice(context, keyed, json, providers),
    }),
    {
      method: 'get',
      path: '/invoices',
      scope: 'payments:read',
      successStatus: 200,
      body: 'none',
      docs: async () => (await docs()).listInvoicesDocs,
      async handle({ context, query }) {
        const list = parseListQuery(query, 'inv', invoiceFilters);
        const [rows] = await context.transaction((sql) => [
          listStatement(sql, invoiceSource(sql), context.tenantId, list),
        ]);
        const snapshots = (rows ?? []).map(({ snapshot }) => snapshot as InvoiceRow);
        const { rows: page, hasMore } = toPage(snapshots, list.page);
        return { status: 200, body: { data: page.map(renderer.invoice), has_more: hasMore } };
      },
    },
    {
      method: 'get',
      path: '/invoices/:id',
      scope: 'payments:read',
      successStatus: 200,
      body: 'none',
      docs: async () => (await docs()).getInvoiceDocs,
      async handle({ context, params }) {
        const [rows] = await context.transaction((sql) => [
          invoiceSnapshot(sql, context.tenantId, params.id ?? ''),
        ]);
        const row = rows?.[0]?.snapshot as InvoiceRow | undefined;
        if (!row) throw notFound('invoice');
        return { status: 200, body: renderer.invoice(row) };
      },
    },
    keyedEndpoint(renderer, {
      path: '/invoices/:id/cancel',
      successStatus: 200,
      body: 'optional',
      docs: async () => (await docs()).cancelInvoiceDocs,
      run: async ({ context, json, params }, keyed) =>
        (await cancellation()).cancelInvoice(context, keyed, params.id ?? '', json, providers),
    }),
  ];
}
