// OpenAPI descriptions of the sandbox.
import { invoiceResponse } from '../../shared/payments/invoices/schema.ts';
import { sandboxPaymentSchema } from '../../shared/payments/providers/sandbox/pay.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { idParameter, post, tagged } from './openapi.ts';
import type { sandboxEndpoints } from './sandbox.ts';

export const sandboxOperations: OperationsOf<ReturnType<typeof sandboxEndpoints>> = tagged('Sandbox', {
  payInSandbox: post('Pay an invoice in the sandbox (staging only)', {
    status: 200,
    description:
      'The amount determines the outcome: see docs/sandbox.md. The body may contain a `reason`, which is validated but not stored.',
    gives: invoiceResponse,
    takes: sandboxPaymentSchema,
    params: idParameter,
  }),
});
