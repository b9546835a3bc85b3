// Naming that variants B and C share: deals are opportunities, and `owner_id` is `assigned_to`.
import { dealPriorities, dealResults, dealStatuses } from '../deals/states.ts';
import { type NamingRules, unchangedValues } from '../naming.ts';

export const ownerToAssignee = { owner_id: 'assigned_to' };
export const assigneeToOwner = { assigned_to: 'owner_id' };

export const opportunity = {
  names: assigneeToOwner,
  aliases: { pipeline_stage: 'stage' },
  values: { status: unchangedValues(...dealStatuses), priority: unchangedValues(...dealPriorities) },
  shownAs: { stage: ['stage', 'stage_id', 'probability'] },
  paths: {
    stage: 'stage.name',
    stage_id: 'stage.id',
    probability: 'stage.probability',
    previous_stage: 'previous_stage.name',
  },
  spread: {
    member: 'contact',
    parts: { name: 'contact_name', email: 'contact_email', company: 'company' },
  },
} satisfies NamingRules;

/** The body that closes an opportunity. */
export const closing = {
  names: { status: 'result' },
  aliases: { result: 'result', closed_value: 'final_value', close_notes: 'note' },
  values: { result: unchangedValues(...dealResults) },
} satisfies NamingRules;
