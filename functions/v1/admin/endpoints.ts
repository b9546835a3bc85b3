// All operations of the admin API, and their endpoints. Loaded by the first request below /v1/admin.
import type { Endpoints } from '../../../shared/platform/http/endpoint.ts';
import { accessOperations } from './access.ts';
import { correctionOperations } from './corrections.ts';
import { gamificationOperations } from './gamification.ts';
import { type AdminOperation, adminEndpoint } from './operation.ts';
import { paymentOperations } from './payments.ts';
import { workspaceOperations } from './workspace.ts';

export const adminOperations = {
  ...gamificationOperations,
  ...correctionOperations,
  ...workspaceOperations,
  ...accessOperations,
  ...paymentOperations,
};

/** Endpoints by the name of their operation. */
export const adminEndpoints: Endpoints = Object.fromEntries(
  Object.entries(adminOperations).map(([name, operation]) => [
    name,
    adminEndpoint(operation as unknown as AdminOperation),
  ]),
);
