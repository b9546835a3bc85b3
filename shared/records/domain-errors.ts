// Why the database refuses a request of records, as callers are told. Reasons are raised by name in the statement that
// does the work (`app.raise_domain_error`), or are the constraints that a row broke.
import { brokenConstraint, isSqlError } from '../platform/db/sql-errors.ts';
import { ApiError } from '../platform/errors.ts';
import {
  type Refusal,
  refusalError,
  webhookConstraints,
  webhookReasons,
} from '../webhooks/management/refusals.ts';

const reasons: Record<string, Refusal> = {
  lead_missing: { code: 'not_found', message: 'There is no lead with this id.' },
  lead_merged: { code: 'not_found', message: 'The lead was merged into another one, `merged_into`.' },
  loser_is_winner: {
    code: 'unprocessable',
    message: 'must be another lead than the winner',
    field: 'loser_id',
  },
  loser_missing: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'loser_id' },
  loser_merged: { code: 'unprocessable', message: 'was merged into another lead already', field: 'loser_id' },
  deal_missing: { code: 'not_found', message: 'There is no deal with this id.' },
  user_missing: { code: 'not_found', message: 'There is no user with this id.' },
  team_missing: { code: 'not_found', message: 'There is no team with this id.' },
  member_missing: { code: 'not_found', message: 'The team has no member with this id.' },
  invitation_missing: { code: 'not_found', message: 'There is no invitation with this id.' },
  ...webhookReasons,
  lead_converted: { code: 'conflict', message: 'The lead is converted already.' },
  lead_stays_converted: {
    code: 'unprocessable',
    message: 'A converted lead keeps its status.',
    field: 'status',
  },
  deal_closed: { code: 'conflict', message: 'The deal is closed already.' },
  user_exists: { code: 'conflict', message: 'belongs to another user of this workspace', field: 'email' },
  invitation_settled: { code: 'conflict', message: 'The invitation was accepted or revoked already.' },
  user_limit: {
    code: 'user_limit_reached',
    message: "The plan's number of users is reached. Deactivate a user, or ask for a larger plan.",
  },
  stage_missing: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'stage_id' },
  stage_unknown: { code: 'unprocessable', message: 'is no stage of this workspace', field: 'stage' },
  pipeline_empty: {
    code: 'unprocessable',
    message: 'This workspace has no pipeline stages; an administrator makes them with admin.create_stage.',
  },
  member_unknown: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'user_id' },
  user_unknown: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'user_id' },
  season_unknown: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'season' },
  not_in_standings: { code: 'unprocessable', message: 'has no place in these standings', field: 'around' },
  period_backwards: { code: 'validation', message: 'must be later than from', field: 'to' },
  members_unknown: {
    code: 'unprocessable',
    message: 'names a user who does not exist in this workspace',
    field: 'member_ids',
  },
  team_circle: {
    code: 'unprocessable',
    message: 'would make the team a part of itself',
    field: 'parent_team_id',
  },
};

const absent = (field: string): Refusal => ({
  code: 'unprocessable',
  message: 'does not exist in this workspace',
  field,
});

/** Foreign keys by the name that Postgres gives them, and rules of triggers by the name that these do. */
const constraints: Record<string, Refusal> = {
  leads_tenant_id_owner_id_fkey: absent('owner_id'),
  leads_tenant_id_team_id_fkey: absent('team_id'),
  deals_tenant_id_owner_id_fkey: absent('owner_id'),
  deals_tenant_id_lead_id_fkey: absent('lead_id'),
  deals_tenant_id_stage_id_fkey: absent('stage_id'),
  deal_activities_tenant_id_deal_id_fkey: absent('deal_id'),
  users_tenant_id_team_id_fkey: absent('team_id'),
  teams_tenant_id_leader_id_fkey: absent('leader_id'),
  teams_tenant_id_parent_team_id_fkey: absent('parent_team_id'),
  ...webhookConstraints,
};

/** What an error of the database means to a caller: an `ApiError` that says why, or the error itself. */
export function asDomainError(error: unknown): unknown {
  if (isSqlError(error, 'domainError')) {
    const { message: reason, detail } = error;
    if (reason === 'lead_merged' && detail) return leadMerged(detail);
    return reasons[reason] ? domainError(reason) : error;
  }
  const constraint = brokenConstraint(error) ?? '';
  const refusal = constraints[constraint];
  return refusal ? refusalError(refusal, constraint) : error;
}

/** Waits for work and says of what the database refuses why. */
export async function withDomainErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asDomainError(error);
  }
}

/** Says where a lead went that was merged into another one. */
function leadMerged(mergedInto: string): ApiError {
  const { code, message, reason } = domainError('lead_merged');
  return new ApiError(code, message, { ...(reason && { reason }), extra: { merged_into: mergedInto } });
}

/** The error of a reason by its name. */
export function domainError(reason: string): ApiError {
  const refusal = reasons[reason];
  if (!refusal) throw new Error(`There is no reason ${reason}.`);
  return refusalError(refusal, reason);
}

/** Well-formed, but impossible: the member, by its canonical name, and the rule. */
export const unprocessable = (field: string, message: string, reason?: string): ApiError =>
  new ApiError('unprocessable', 'This cannot be done with these values.', {
    details: [{ field, message }],
    ...(reason && { reason }),
  });

/** Another lead has this e-mail. */
export const duplicateLead = (existingId: string | null | undefined): ApiError =>
  new ApiError('conflict', 'There is a lead with this e-mail already.', {
    details: [{ field: 'email', message: 'belongs to another lead' }],
    reason: 'duplicate_email',
    ...(existingId && { extra: { existing_id: existingId } }),
  });
