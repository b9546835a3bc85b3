// Maps database errors of the records interface to API errors. The reason of an error is the name that `app.raise_domain_error` raises,
// or the constraint that a row violates.
import { isSqlError, violatedConstraint } from '../platform/db/sql-errors.ts';
import { ApiError, UNPROCESSABLE_MESSAGE } from '../platform/errors.ts';
import {
  constraintError,
  type ErrorRule,
  ruleError,
  webhookConstraints,
  webhookReasons,
} from '../webhooks/management/webhook-errors.ts';

const reasons: Record<string, ErrorRule> = {
  lead_missing: { code: 'not_found', message: 'There is no lead with this id.' },
  lead_merged: {
    code: 'not_found',
    message: 'The lead was merged into another lead. Use the id in `merged_into`.',
  },
  loser_is_winner: {
    code: 'unprocessable',
    message: 'must not be the lead itself',
    field: 'loser_id',
  },
  loser_missing: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'loser_id' },
  loser_merged: { code: 'unprocessable', message: 'was already merged into another lead', field: 'loser_id' },
  deal_missing: { code: 'not_found', message: 'There is no deal with this id.' },
  user_missing: { code: 'not_found', message: 'There is no user with this id.' },
  team_missing: { code: 'not_found', message: 'There is no team with this id.' },
  member_missing: { code: 'not_found', message: 'The team has no member with this id.' },
  invitation_missing: { code: 'not_found', message: 'There is no invitation with this id.' },
  ...webhookReasons,
  lead_converted: { code: 'conflict', message: 'The lead is already converted.' },
  lead_stays_converted: {
    code: 'unprocessable',
    message: 'cannot be changed once the lead is converted',
    field: 'status',
  },
  deal_closed: { code: 'conflict', message: 'The deal is already closed.' },
  user_exists: { code: 'conflict', message: 'belongs to another user of this workspace', field: 'email' },
  invitation_settled: { code: 'conflict', message: 'The invitation was already accepted or revoked.' },
  user_limit: {
    code: 'user_limit_reached',
    message: "Your plan's limit of users is reached. Deactivate a user or ask for a larger plan.",
  },
  stage_missing: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'stage_id' },
  stage_unknown: { code: 'unprocessable', message: 'is not a stage of this workspace', field: 'stage' },
  pipeline_empty: {
    code: 'unprocessable',
    message:
      'This workspace has no pipeline stages. An administrator can create one with admin.create_stage.',
  },
  member_unknown: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'user_id' },
  user_unknown: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'user_id' },
  season_unknown: { code: 'unprocessable', message: 'does not exist in this workspace', field: 'season' },
  not_in_standings: { code: 'unprocessable', message: 'is not in these standings', field: 'around' },
  period_backwards: { code: 'validation', message: 'must be later than from', field: 'to' },
  members_unknown: {
    code: 'unprocessable',
    message: 'contains a user who does not exist in this workspace',
    field: 'member_ids',
  },
  team_circle: {
    code: 'unprocessable',
    message: 'must not be the team itself or one of its subteams',
    field: 'parent_team_id',
  },
};

const absent = (field: string): ErrorRule => ({
  code: 'unprocessable',
  message: 'does not exist in this workspace',
  field,
});

/** By constraint name: foreign keys as Postgres names them, and constraints that triggers raise. */
const constraints: Record<string, ErrorRule> = {
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

/** The `ApiError` for a known database error; other errors are returned unchanged. */
export function asDomainError(error: unknown): unknown {
  if (isSqlError(error, 'domainError')) {
    const { message: reason, detail } = error;
    if (reason === 'lead_merged' && detail) return leadMerged(detail);
    return reasons[reason] ? domainError(reason) : error;
  }
  const constraint = violatedConstraint(error) ?? '';
  const rule = constraints[constraint];
  return rule ? constraintError(rule, constraint, error) : error;
}

/** Awaits database work and throws its known errors as `ApiError`. */
export const withDomainErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw asDomainError(error);
  });

/** Adds the id of the lead that the requested lead was merged into. */
function leadMerged(mergedInto: string): ApiError {
  const { code, message, reason } = domainError('lead_merged');
  return new ApiError(code, message, { ...(reason && { reason }), extra: { merged_into: mergedInto } });
}

/** The error of a reason. */
export function domainError(reason: string): ApiError {
  const rule = reasons[reason];
  if (!rule) throw new Error(`Unknown reason ${reason}.`);
  return ruleError(rule, reason);
}

/** A 422 for a field, by its canonical name, and the rule that it violates. */
export const unprocessable = (field: string, message: string, reason?: string): ApiError =>
  new ApiError('unprocessable', UNPROCESSABLE_MESSAGE, {
    details: [{ field, message }],
    ...(reason && { reason }),
  });

/** The error for an email address that another lead has. */
export const duplicateLead = (existingId: string | null | undefined): ApiError =>
  new ApiError('conflict', 'A lead with this email address already exists.', {
    details: [{ field: 'email', message: 'belongs to another lead' }],
    reason: 'duplicate_email',
    ...(existingId && { extra: { existing_id: existingId } }),
  });
