// Operations of the admin API and their endpoints. `all.ts` adds payment webhooks.
import type { Endpoints } from '../../../shared/platform/http/endpoint.ts';
import { accessOperations } from './access.ts';
import { boardOperations } from './boards.ts';
import { connectorOperations } from './connectors.ts';
import { correctionOperations } from './corrections.ts';
import { gamificationOperations } from './gamification.ts';
import { type AdminOperation, adminEndpoint } from './operation.ts';
import { paymentOperations } from './payments.ts';
import { userOperations } from './users.ts';
import { workspaceOperations } from './workspace.ts';

export const adminOperations = {
  ...gamificationOperations,
  ...correctionOperations,
  ...workspaceOperations,
  ...accessOperations,
  ...boardOperations,
  ...userOperations,
  ...paymentOperations,
  ...connectorOperations,
};

export const endpointsOf = (operations: Readonly<Record<string, object>>): Endpoints =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, adminEndpoint(operation as AdminOperation)]),
  );

/** Endpoints by the name of their operation, without those of payment webhooks. */
export const adminEndpoints = endpointsOf(adminOperations);
