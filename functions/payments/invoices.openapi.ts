// OpenAPI descriptions of invoices.
import { z } from 'zod';
import { invoiceResponse, invoiceSchema } from '../../shared/payments/invoices/schema.ts';
import { invoiceStatuses } from '../../shared/payments/invoices/states.ts';
import { paymentMethods } from '../../shared/payments/providers/charge-port.ts';
import { cancelRequestSchema } from '../../shared/payments/requests/fields.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import type { invoiceEndpoints } from './invoices.ts';
import { get, idParameter, list, post, tagged } from './openapi.ts';

export const invoiceOperations: OperationsOf<ReturnType<typeof invoiceEndpoints>> = tagged('Invoices', {
  createInvoice: post('Create an invoice', {
    status: 201,
    gives: invoiceResponse,
    takes: invoiceSchema,
    required: true,
  }),
  listInvoices: list('List invoices, newest first', invoiceResponse, {
    status: z.enum(invoiceStatuses).optional().describe('Only invoices with this status.'),
    'payment_method.type': z
      .enum(paymentMethods)
      .optional()
      .describe('Only invoices with this payment method.'),
  }),
  getInvoice: get('Get an invoice', invoiceResponse, { params: idParameter }),
  cancelInvoice: post('Cancel an unpaid invoice', {
    gives: invoiceResponse,
    takes: cancelRequestSchema,
    params: idParameter,
  }),
});
