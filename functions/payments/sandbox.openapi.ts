// What OpenAPI says of the sandbox.

import { invoiceResponse } from '../../shared/payments/invoices/schema.ts';
import { cancelRequestSchema } from '../../shared/payments/requests/fields.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { idParameter, post, tagged } from './openapi.ts';
import type { sandboxEndpoints } from './sandbox.ts';

export const sandboxOperations: OperationsOf<ReturnType<typeof sandboxEndpoints>> = tagged('Sandbox', {
  payInSandbox: post('Play the payer of an invoice (staging)', {
    status: 200,
    description: 'Amounts decide how it ends: docs/sandbox.md. A body is taken and kept nowhere.',
    gives: invoiceResponse,
    takes: cancelRequestSchema,
    params: idParameter,
  }),
});
