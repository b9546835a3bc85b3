// All operations of the admin API, and their endpoints. Loaded by the first request below /v1/admin.
import type { Endpoints } from '../../../shared/platform/http/endpoint.ts';
import { accessOperations } from './access.ts';
import { correctionOperations } from './corrections.ts';
import { gamificationOperations } from './gamification.ts';
import { type AdminOperation, adminEndpoint } from './operation.ts';
import { type PaymentWebhookOptions, paymentWebhookOperations } from './payment-webhooks.ts';
import { paymentOperations } from './payments.ts';
import { workspaceOperations } from './workspace.ts';

export const adminOperations = {
  ...gamificationOperations,
  ...correctionOperations,
  ...workspaceOperations,
  ...accessOperations,
  ...paymentOperations,
};

const endpointsOf = (operations: Readonly<Record<string, object>>): Endpoints =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, adminEndpoint(operation as AdminOperation)]),
  );

/** Endpoints by the name of their operation, without those of the webhooks of payments. */
export const adminEndpoints = endpointsOf(adminOperations);

/** All operations of a deployment. */
export const allOperations = (options: PaymentWebhookOptions) => ({
  ...adminOperations,
  ...paymentWebhookOperations(options),
});

export const allEndpoints = (options: PaymentWebhookOptions): Endpoints =>
  endpointsOf(allOperations(options));
