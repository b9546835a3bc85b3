// What OpenAPI says of every endpoint of `recordsEndpoints`, by the same names. Only the generator of the documents loads
// this.
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityOperations } from './activities.openapi.ts';
import type { recordsEndpoints } from './app.ts';
import { dealOperations } from './deals.openapi.ts';
import { invitationOperations } from './invitations.openapi.ts';
import { leadOperations } from './leads.openapi.ts';
import { stageOperations } from './stages.openapi.ts';
import { teamOperations } from './teams.openapi.ts';
import { userOperations } from './users.openapi.ts';
import { webhookOperations } from './webhooks.openapi.ts';

export const recordsOperations: OperationsOf<ReturnType<typeof recordsEndpoints>> = {
  ...leadOperations,
  ...dealOperations,
  ...stageOperations,
  ...activityOperations,
  ...userOperations,
  ...invitationOperations,
  ...teamOperations,
  ...webhookOperations,
};
