// All operations of the admin API, and their endpoints. Loaded by the first request below /v1/admin.
import type { Endpoints } from '../../../shared/platform/http/endpoint.ts';
import { adminOperations, endpointsOf } from './endpoints.ts';
import { type PaymentWebhookOptions, paymentWebhookOperations } from './payment-webhooks.ts';

export const allOperations = (options: PaymentWebhookOptions) => ({
  ...adminOperations,
  ...paymentWebhookOperations(options),
});

export const allEndpoints = (options: PaymentWebhookOptions): Endpoints =>
  endpointsOf(allOperations(options));
