// Serializes deals for responses and webhooks, also as opportunities (variants B and C).

import { utcTime } from '../../platform/instants.ts';
import { externalIdFor } from '../external-ids.ts';
import type { DealRecord, DealStage } from './queries.ts';
import type { DealResponse, OpportunityResponse } from './schema.ts';

const serializeStage = (stage: DealStage): DealResponse['stage'] => ({
  id: stage.id,
  name: stage.name,
  probability: stage.probability,
});

const serializeCommonMembers = (deal: DealRecord, clientId: string | null) => ({
  expected_close_date: deal.expected_close_date,
  priority: deal.priority,
  lead_id: deal.lead_id,
  custom_fields: deal.custom_fields,
  tags: deal.tags,
  external_id: externalIdFor(deal, clientId),
  loss_reason: deal.loss_reason,
  created_at: utcTime(deal.created_at),
  updated_at: utcTime(deal.updated_at),
});

/** Only in `deal.stage_changed` and `deal.won`. */
interface WithPreviousStage<Stage> {
  previous_stage?: Stage;
}

/** `clientId` is the client whose external id is shown. */
export const serializeDeal = (
  deal: DealRecord,
  clientId: string | null,
): DealResponse & WithPreviousStage<DealResponse['stage']> => ({
  id: deal.id,
  name: deal.name,
  value: deal.value,
  stage: serializeStage(deal.stage),
  status: deal.status,
  contact_name: deal.contact_name,
  contact_email: deal.contact_email,
  company: deal.company,
  owner_id: deal.owner_id,
  ...serializeCommonMembers(deal, clientId),
  ...(deal.previous_stage && { previous_stage: serializeStage(deal.previous_stage) }),
});

export const serializeOpportunity = (
  deal: DealRecord,
  clientId: string | null,
): OpportunityResponse & WithPreviousStage<string> => ({
  id: deal.id,
  name: deal.name,
  value: deal.value,
  stage: deal.stage.name,
  stage_id: deal.stage.id,
  probability: deal.stage.probability,
  contact: { name: deal.contact_name, email: deal.contact_email, company: deal.company },
  status: deal.status,
  assigned_to: deal.owner_id,
  ...serializeCommonMembers(deal, clientId),
  ...(deal.previous_stage && { previous_stage: deal.previous_stage.name }),
});
