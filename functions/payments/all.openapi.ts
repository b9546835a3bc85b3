// OpenAPI descriptions of all payments endpoints, by endpoint name.
import type { Operation } from '../../shared/platform/http/openapi.ts';
import { balanceTransactionOperations } from './balance-transactions.openapi.ts';
import { capabilityOperations } from './capabilities.openapi.ts';
import { eventOperations } from './events.openapi.ts';
import { invoiceOperations } from './invoices.openapi.ts';
import { payoutOperations } from './payouts.openapi.ts';
import { refundOperations } from './refunds.openapi.ts';
import { sandboxOperations } from './sandbox.openapi.ts';
import { taxDocumentOperations } from './tax-documents.openapi.ts';
import { webhookOperations } from './webhooks.openapi.ts';

export const paymentsOperations: Readonly<Record<string, Operation>> = {
  ...invoiceOperations,
  ...refundOperations,
  ...taxDocumentOperations,
  ...payoutOperations,
  ...balanceTransactionOperations,
  ...capabilityOperations,
  ...eventOperations,
  ...webhookOperations,
  ...sandboxOperations,
};
