// OpenAPI descriptions of refunds.
import { z } from 'zod';
import { refundResponse, refundSchema } from '../../shared/payments/refunds/schema.ts';
import { refundStatuses } from '../../shared/payments/refunds/states.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { get, idParameter, pagesOf, post, tagged } from './openapi.ts';
import type { refundEndpoints } from './refunds.ts';

export const refundOperations: OperationsOf<ReturnType<typeof refundEndpoints>> = tagged('Refunds', {
  createRefund: post('Refund a paid invoice, in full or in part', {
    status: 201,
    gives: refundResponse,
    takes: refundSchema,
    params: idParameter,
  }),
  listRefunds: pagesOf(
    'List the refunds of an invoice, newest first',
    refundResponse,
    { status: z.enum(refundStatuses).optional().describe('Only refunds with this status.') },
    idParameter,
  ),
  getRefund: get('Get a refund', refundResponse, {
    params: idParameter.extend({ refund_id: z.string().describe('Id of the refund.') }),
  }),
});
