// OpenAPI descriptions of all records endpoints in a variant, by endpoint name. Only the generator of the documents loads this file.

import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityOperations } from './activities.openapi.ts';
import type { recordsEndpoints } from './app.ts';
import { dealOperations } from './deals.openapi.ts';
import { eventOperations } from './events.openapi.ts';
import { gamificationOperations } from './gamification.openapi.ts';
import { invitationOperations } from './invitations.openapi.ts';
import { leadOperations } from './leads.openapi.ts';
import { meOperations } from './me.openapi.ts';
import { schemasOf } from './schemas.openapi.ts';
import { stageOperations } from './stages.openapi.ts';
import { teamOperations } from './teams.openapi.ts';
import { userOperations } from './users.openapi.ts';
import { webhookOperations } from './webhooks.openapi.ts';

export function recordsOperations(variant: NamingVariant): OperationsOf<ReturnType<typeof recordsEndpoints>> {
  const schemas = schemasOf(variant);
  return {
    ...leadOperations(schemas),
    ...dealOperations(schemas),
    ...stageOperations(schemas),
    ...activityOperations(schemas),
    ...userOperations(schemas),
    ...gamificationOperations(schemas),
    ...invitationOperations(schemas),
    ...teamOperations(schemas),
    ...webhookOperations(schemas),
    ...eventOperations(schemas),
    ...meOperations(schemas),
  };
}
