// OpenAPI descriptions of the sandbox.
import { invoiceResponse } from '../../shared/payments/invoices/schema.ts';
import { refundResponse } from '../../shared/payments/refunds/schema.ts';
import { disputeSchema, sandboxPaymentSchema } from '../../shared/payments/sandbox/payer.ts';
import { pageAddress } from '../../shared/platform/documentation.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { idParameter, post, tagged } from './openapi.ts';
import type { sandboxEndpoints } from './sandbox.ts';

export const sandboxOperations: OperationsOf<ReturnType<typeof sandboxEndpoints>> = tagged('Sandbox', {
  payInSandbox: post('Pay an invoice in the sandbox (staging only)', {
    description: `The amount determines the outcome: see ${pageAddress('sandbox')}. The body may contain a \`reason\`, which is validated but not stored.`,
    gives: invoiceResponse,
    takes: sandboxPaymentSchema,
    params: idParameter,
  }),
  disputeInSandbox: post('Dispute a paid invoice in the sandbox, or end its dispute (staging only)', {
    gives: invoiceResponse,
    takes: disputeSchema,
    params: idParameter,
  }),
  settleRefundInSandbox: post("Complete a boleto's refund as the payer in the sandbox (staging only)", {
    gives: refundResponse,
    params: idParameter,
  }),
});
