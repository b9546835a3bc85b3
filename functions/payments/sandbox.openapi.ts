// What OpenAPI says of the sandbox.
import { invoiceResponse } from '../../shared/payments/invoices/schema.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { idParameter, post } from './openapi.ts';
import type { sandboxEndpoints } from './sandbox.ts';

export const sandboxOperations: OperationsOf<ReturnType<typeof sandboxEndpoints>> = {
  payInSandbox: post('Play the payer of an invoice (staging)', {
    status: 200,
    gives: invoiceResponse,
    params: idParameter,
  }),
};
