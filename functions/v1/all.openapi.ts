// OpenAPI descriptions of all records endpoints in a variant, by endpoint name. Only the generator of the documents loads this file.

import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityDescriptions } from './activities.openapi.ts';
import { recordsEndpoints } from './app.ts';
import { dealDescriptions } from './deals.openapi.ts';
import { eventDescriptions } from './events.openapi.ts';
import { gamificationDescriptions } from './gamification.openapi.ts';
import { invitationDescriptions } from './invitations.openapi.ts';
import { leadDescriptions } from './leads.openapi.ts';
import { meDescriptions } from './me.openapi.ts';
import { type DescriptionsOf, describeAll } from './openapi.ts';
import { schemasOf } from './schemas.openapi.ts';
import { stageDescriptions } from './stages.openapi.ts';
import { teamDescriptions } from './teams.openapi.ts';
import { userDescriptions } from './users.openapi.ts';
import { webhookDescriptions } from './webhooks.openapi.ts';

export function recordsOperations(variant: NamingVariant): OperationsOf<ReturnType<typeof recordsEndpoints>> {
  const endpoints = recordsEndpoints({ allowInsecure: false, resolve: async () => [] });
  const schemas = schemasOf(variant);
  const descriptions: DescriptionsOf<typeof endpoints> = {
    ...leadDescriptions(schemas),
    ...dealDescriptions(schemas),
    ...stageDescriptions(schemas),
    ...activityDescriptions(schemas),
    ...userDescriptions(schemas),
    ...gamificationDescriptions(schemas),
    ...invitationDescriptions(schemas),
    ...teamDescriptions(schemas),
    ...webhookDescriptions(schemas),
    ...eventDescriptions(schemas),
    ...meDescriptions(schemas),
  };
  return describeAll(variant, endpoints, descriptions);
}
