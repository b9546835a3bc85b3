// OpenAPI descriptions of payouts.
import { z } from 'zod';
import { payoutResponse, payoutSchema } from '../../shared/payments/payouts/schema.ts';
import { payoutStatuses } from '../../shared/payments/payouts/states.ts';
import { providerNames } from '../../shared/payments/provider-registry/registry.ts';
import { cancelRequestSchema } from '../../shared/payments/requests/fields.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { get, idParameter, list, post, tagged } from './openapi.ts';
import type { payoutEndpoints } from './payouts.ts';

export const payoutOperations: OperationsOf<ReturnType<typeof payoutEndpoints>> = tagged('Payouts', {
  createPayout: post('Create a payout', {
    status: 201,
    gives: payoutResponse,
    takes: payoutSchema,
    required: true,
  }),
  listPayouts: list('List payouts, newest first', payoutResponse, {
    status: z.enum(payoutStatuses).optional().describe('Only payouts with this status.'),
    provider: z.enum(providerNames).optional().describe('Only payouts of this provider.'),
  }),
  getPayout: get('Get a payout', payoutResponse, { params: idParameter }),
  cancelPayout: post('Cancel a payout', {
    gives: payoutResponse,
    takes: cancelRequestSchema,
    params: idParameter,
  }),
});
