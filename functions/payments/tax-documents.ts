// /invoices/{id}/tax-documents

import { notFound } from '../../shared/payments/not-found.ts';
import { type TaxDocumentRow, taxDocumentSnapshot } from '../../shared/payments/tax-documents/queries.ts';
import type { Endpoint } from '../../shared/platform/http/app.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint } from './idempotent-endpoint.ts';

const docs = () => import('./openapi.ts');
const operations = () => import('../../shared/payments/tax-documents/operations.ts');

export function taxDocumentEndpoints({ providers, renderer }: Dependencies): Endpoint[] {
  return [
    idempotentEndpoint(renderer, {
      path: '/invoices/:id/tax-documents',
      successStatus: 202,
      body: 'required',
      docs: async () => (await docs()).requestTaxDocumentDocs,
      run: async ({ context, json, params }, keyed) =>
        (await operations()).requestTaxDocument(context, keyed, params.id ?? '', json),
    }),
    {
      method: 'get',
      path: '/invoices/:id/tax-documents/:doc_id',
      scope: 'payments:read',
      successStatus: 200,
      body: 'none',
      docs: async () => (await docs()).getTaxDocumentDocs,
      async handle({ context, params: { id = '', doc_id: documentId = '' } }) {
        const [rows] = await context.transaction((sql) => [
          taxDocumentSnapshot(sql, context.tenantId, id, documentId),
        ]);
        const row = rows?.[0]?.snapshot as TaxDocumentRow | undefined;
        if (!row) throw notFound('tax_document');
        return { status: 200, body: renderer.taxDocument(row) };
      },
    },
    idempotentEndpoint(renderer, {
      path: '/invoices/:id/tax-documents/:doc_id/cancel',
      successStatus: 200,
      body: 'optional',
      docs: async () => (await docs()).cancelTaxDocumentDocs,
      run: async ({ context, json, params: { id = '', doc_id: documentId = '' } }, keyed) =>
        (await operations()).cancelTaxDocument(
          context,
          keyed,
          { invoiceId: id, id: documentId },
          json,
          providers,
        ),
    }),
  ];
}
