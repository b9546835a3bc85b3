// /invoices/{id}/tax-documents
import type { Endpoint } from '../../shared/http/app.ts';
import {
  cancelTaxDocument,
  requestTaxDocument,
  taxDocumentNotFound,
} from '../../shared/payments/tax-documents/operations.ts';
import { type TaxDocumentRow, taxDocumentSnapshot } from '../../shared/payments/tax-documents/table.ts';
import { keyedEndpoint } from './keyed.ts';
import type { Tools } from './tools.ts';

const docs = () => import('./docs.ts');

export function taxDocumentEndpoints({ providers, renderer }: Tools): Endpoint[] {
  return [
    keyedEndpoint(renderer, {
      path: '/invoices/:id/tax-documents',
      successStatus: 202,
      body: 'required',
      docs: async () => (await docs()).requestTaxDocumentDocs,
      run: ({ context, json, params }, keyed) => requestTaxDocument(context, keyed, params.id ?? '', json),
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
        if (!row) throw taxDocumentNotFound();
        return { status: 200, body: renderer.taxDocument(row) };
      },
    },
    keyedEndpoint(renderer, {
      path: '/invoices/:id/tax-documents/:doc_id/cancel',
      successStatus: 200,
      body: 'optional',
      docs: async () => (await docs()).cancelTaxDocumentDocs,
      run: ({ context, json, params: { id = '', doc_id: documentId = '' } }, keyed) =>
        cancelTaxDocument(context, keyed, { invoiceId: id, id: documentId }, json, providers),
    }),
  ];
}
