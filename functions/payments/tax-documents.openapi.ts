// OpenAPI descriptions of tax documents.
import { z } from 'zod';
import { cancelRequestSchema } from '../../shared/payments/requests/fields.ts';
import { taxDocumentResponse, taxDocumentSchema } from '../../shared/payments/tax-documents/schema.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { get, idParameter, post, tagged } from './openapi.ts';
import type { taxDocumentEndpoints } from './tax-documents.ts';

const documentParameters = z.object({
  id: z.string().describe('Id of the invoice.'),
  doc_id: z.string().describe('Id of the tax document.'),
});

export const taxDocumentOperations: OperationsOf<ReturnType<typeof taxDocumentEndpoints>> = tagged(
  'Tax documents',
  {
    requestTaxDocument: post('Request a tax document', {
      status: 202,
      gives: taxDocumentResponse,
      takes: taxDocumentSchema,
      required: true,
      params: idParameter,
    }),
    getTaxDocument: get('Get a tax document', taxDocumentResponse, { params: documentParameters }),
    cancelTaxDocument: post('Cancel a tax document', {
      gives: taxDocumentResponse,
      takes: cancelRequestSchema,
      params: documentParameters,
    }),
  },
);
