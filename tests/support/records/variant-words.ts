// The three variants of records: their names and terms, and the members of each response.
import { leadTextNames } from '../../../shared/records/leads/texts.ts';

const LEAD = `id name email ${leadTextNames.join(' ')} team_id custom_fields tags external_id created_at updated_at`;
const DEAL =
  'id name value stage status expected_close_date priority lead_id custom_fields tags external_id loss_reason created_at updated_at';
const OPPORTUNITY = `${DEAL} stage_id probability contact assigned_to`;
const USER =
  'id name email phone avatar_url role status ranking_tier total_points external_id created_at updated_at last_active_at';
const ACTIVITY = 'id type title description date due_date duration_minutes created_at';

/** The terms of each variant. */
export const variantWords = {
  a: {
    owner: 'owner_id',
    leadStatus: 'status',
    unqualified: 'unqualified',
    seller: 'sales_rep',
    invited: 'invited',
    deals: '/deals',
    stages: '/stages',
    leader: 'leader_id',
    count: 'member_count',
    convertStatus: 200,
    deal: (stage: { id: string }) => ({
      stage_id: stage.id,
      contact_name: 'Zoë',
      contact_email: 'z@x.co',
      company: 'Acme',
    }),
    convert: (stage: { id: string }) => ({ deal_name: 'Big', deal_value: 5, stage_id: stage.id }),
    move: (stage: { id: string }) => ({ stage_id: stage.id, note: 'Moved' }),
    close: { result: 'won', final_value: 9, note: 'Signed' },
    lose: { result: 'lost', loss_reason: 'Too expensive' },
    members: {
      lead: `${LEAD} status owner_id`,
      deal: `${DEAL} contact_name contact_email company owner_id`,
      user: `${USER} team`,
      team: 'id name leader_id member_count parent_team_id created_at updated_at',
      stage: 'id name position probability',
      activity: `${ACTIVITY} deal_id owner_id`,
    },
    perPage: 25,
  },
  b: {
    owner: 'assigned_to',
    leadStatus: 'status',
    unqualified: 'discarded',
    seller: 'seller',
    invited: 'inactive',
    deals: '/opportunities',
    stages: '/pipeline/stages',
    leader: 'manager_id',
    count: 'members_count',
    convertStatus: 201,
    deal: (stage: { name: string }) => ({
      stage: stage.name.toUpperCase(),
      contact: { name: 'Zoë', email: 'z@x.co', company: 'Acme' },
    }),
    convert: (stage: { name: string }) => ({ deal_name: 'Big', deal_value: 5, pipeline_stage: stage.name }),
    move: (stage: { name: string }) => ({ stage: stage.name, note: 'Moved' }),
    close: { status: 'won', closed_value: 9, close_notes: 'Signed' },
    lose: { status: 'lost', loss_reason: 'Too expensive' },
    members: {
      lead: `${LEAD} status assigned_to`,
      deal: OPPORTUNITY,
      user: `${USER} team_id team_name`,
      team: 'id name manager_id manager_name members_count parent_team_id created_at updated_at',
      stage: 'id name order default_probability',
      activity: `${ACTIVITY} deal_id assigned_to`,
    },
    perPage: 20,
  },
  c: {
    owner: 'assigned_to',
    leadStatus: 'stage',
    unqualified: 'unqualified',
    seller: 'seller',
    invited: 'pending',
    deals: '/opportunities',
    stages: '/pipeline/stages',
    leader: 'leader_id',
    count: 'member_count',
    convertStatus: 200,
    deal: (stage: { id: string }) => ({
      stage: stage.id,
      contact: { name: 'Zoë', email: 'z@x.co', company: 'Acme' },
    }),
    convert: (stage: { id: string }) => ({ deal_name: 'Big', deal_value: 5, stage: stage.id }),
    move: (stage: { id: string }) => ({ stage_id: stage.id, note: 'Moved' }),
    close: { result: 'won', final_value: 9, close_notes: 'Signed' },
    lose: { status: 'lost', loss_reason: 'Too expensive' },
    members: {
      lead: `${LEAD} stage score assigned_to`,
      deal: `${OPPORTUNITY} currency products`,
      user: `${USER} team`,
      team: 'id name leader_id member_count parent_team_id created_at updated_at',
      stage: 'id name order probability',
      activity: `${ACTIVITY} opportunity_id assigned_to`,
    },
    perPage: 20,
  },
};

export type VariantId = keyof typeof variantWords;
