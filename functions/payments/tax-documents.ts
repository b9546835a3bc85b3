// Endpoints of /invoices/{id}/tax-documents.
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint, read } from './idempotent-endpoint.ts';

const reads = () => import('../../shared/payments/tax-documents/reads.ts');
const writes = () => import('../../shared/payments/tax-documents/writes.ts');

export function taxDocumentEndpoints({ providers, functionsUrl }: Dependencies) {
  return {
    requestTaxDocument: idempotentEndpoint(functionsUrl, {
      path: '/invoices/:id/tax-documents',
      successStatus: 202,
      body: 'required',
      async load() {
        const { parseTaxDocument, requestTaxDocument } = await writes();
        return (attempt, { json, params }, context) =>
          requestTaxDocument(context, attempt, { invoiceId: params.id, ...parseTaxDocument(json) });
      },
    }),
    getTaxDocument: endpoint({
      ...read,
      path: '/invoices/:id/tax-documents/:doc_id',
      async handle({ context, params: { id: invoiceId, doc_id: id } }) {
        const { getTaxDocument, serializeTaxDocument } = await reads();
        const row = await getTaxDocument(context(200), { invoiceId, id });
        return { status: 200, body: serializeTaxDocument(row, functionsUrl) };
      },
    }),
    cancelTaxDocument: idempotentEndpoint(functionsUrl, {
      path: '/invoices/:id/tax-documents/:doc_id/cancel',
      async load() {
        const { cancelTaxDocument, parseReason } = await writes();
        return (attempt, { json, params: { id: invoiceId, doc_id: id } }, context) =>
          cancelTaxDocument(context, attempt, { invoiceId, id, reason: parseReason(json) }, providers);
      },
    }),
  } satisfies Endpoints;
}
