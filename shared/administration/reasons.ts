// The sentences of administration: the error of each reason that SQL raises by name, with the values of its detail.
import { ApiError, type ErrorCode, type ErrorDetail, invalid } from '../platform/errors.ts';
import { entityTagOf } from './entity-tag.ts';

/** The values that SQL raises with a reason. */
export interface ReasonDetail {
  kind?: string;
  /** The member that refers to something; absent for the path. */
  field?: string | null;
  /** Names that exist, if the caller may read them. */
  names?: string[] | null;
  ids?: string[];
  name?: string;
  existing_id?: string;
  scopes?: string[];
  used?: number;
  max?: number;
  noun?: string;
  seconds?: number;
  state?: string;
  /** Why an account was not connected, as SQL says it. */
  refusal?: string;
  current?: Record<string, unknown>;
  version?: string;
}

const MAX_LISTED = 20;

/** An error with one field, and the rule that it violates. */
export const fieldError = (
  code: ErrorCode,
  message: string,
  field: string,
  rule: string,
  extra?: object,
): ApiError =>
  new ApiError(code, message, {
    details: [{ field, message: rule }],
    reason: code,
    ...(extra && { extra: { ...extra } }),
  });

/** How paths name a record of a kind, where not by its id or name. */
const references: Readonly<Record<string, string>> = {
  api_key: 'API key with this id or label',
  client: 'OAuth client with this client_id or label',
  provider_account: 'provider account with this id',
  payout: 'payout with this id',
  crm_account: 'CRM account with this id',
  crm_run: 'run with this id',
  crm_difference: 'difference with this id',
  user: 'user with this id or email address',
};

function unknownReference({ kind = '', field, names }: ReasonDetail): ApiError {
  if (!field) {
    const what = references[kind] ?? `${kind.replaceAll('_', ' ')} with this id or name`;
    return new ApiError('not_found', `There is no ${what}.`, { reason: 'not_found' });
  }
  const more = names && names.length > MAX_LISTED ? ' and more' : '';
  const known = !names
    ? ''
    : names.length === 0
      ? '; there are none'
      : `; there are ${names.slice(0, MAX_LISTED).join(', ')}${more}`;
  return fieldError(
    'unprocessable',
    'The request refers to something that does not exist.',
    field,
    `does not exist in this workspace${known}`,
  );
}

const ambiguous: Readonly<Record<string, string>> = {
  api_key: 'Several API keys have this label. Use an id.',
  client: 'Several OAuth clients have this label. Use a client_id.',
};

function ambiguousName({ kind = '', field, name, ids = [] }: ReasonDetail): ApiError {
  const message = ambiguous[kind] ?? `Several records have this name (${name}). Use an id.`;
  const details = field ? { details: [{ field, message: 'is ambiguous' }] } : {};
  return new ApiError('conflict', message, { ...details, extra: { ids }, reason: 'conflict' });
}

function missingScopes(message: string, { scopes = [] }: ReasonDetail): ApiError {
  const details = scopes.map(
    (scope): ErrorDetail => ({ field: 'scopes', message: `this token lacks the scope ${scope}` }),
  );
  return new ApiError('insufficient_scope', message, {
    details,
    challenge: { error: 'insufficient_scope', scope: scopes.join(' ') },
    reason: 'insufficient_scope',
  });
}

export const reasons: Readonly<Record<string, (detail: ReasonDetail) => ApiError>> = {
  unknown_reference: unknownReference,
  ambiguous_name: ambiguousName,
  user_not_readable: (detail) => missingScopes('Naming a user also requires read:users.', detail),
  automation_not_allowed: (detail) =>
    missingScopes('An automation can only do what your own token may do.', detail),
  scope_not_own: (detail) => missingScopes('You can only grant scopes that your own token has.', detail),
  sign_in_protected: (detail) =>
    missingScopes('Changing how people sign in also requires manage:access.', detail),
  network_invalid: ({ name }) =>
    invalid(
      'field',
      'ip_allowlist',
      `"${name}" is not an IP address or network, such as 203.0.113.7 or 2001:db8::/32`,
      'validation',
    ),
  key_revoked: () => stateConflict('The API key is revoked. Create another one.', 'revoked'),
  key_expired: () => stateConflict('The API key is expired. Create another one.', 'expired'),
  client_revoked: () => stateConflict('The OAuth client is revoked. Create another one.', 'revoked'),
  own_scope_removed: () =>
    fieldError(
      'conflict',
      'A client cannot take a scope from itself. Use another client or SQL, or revoke this client with DELETE.',
      'scopes',
      'must contain all scopes that the client has',
    ),
  not_connected: ({ refusal }) =>
    new ApiError('unprocessable', `Not connected. ${refusal}`, { reason: 'unprocessable' }),
  account_disconnected: () =>
    stateConflict('The account is disconnected. Connect the provider again.', 'disconnected'),
  crm_refused: ({ field, refusal = '' }) => {
    if (!field)
      return new ApiError('unprocessable', `Not connected. ${refusal}`, { reason: 'unprocessable' });
    return invalid('field', field, refusal, 'validation');
  },
  crm_not_allowed: (detail) => missingScopes('A CRM can only do what your own token may do.', detail),
  crm_not_active: ({ state = '', refusal }) =>
    stateConflict(
      refusal ? `The account is ${state}: ${refusal}` : `The account is ${state}. Wait until it is active.`,
      state,
    ),
  crm_connected: ({ state = '' }) => stateConflict('The account is connected. Disconnect it first.', state),
  approval_rule_protected: (detail) =>
    missingScopes('Raising or removing a payout approval rule requires more rights.', detail),
  own_payout: () => notAllowed('This caller requested the payout, so another one must decide on it.'),
  requester_known: () =>
    notAllowed(
      'This caller and the one that requested the payout count as one person: both act for the same user, or one of them, or a third one, ' +
        'has known the secret of the other, because it created or rotated it. Another caller must decide on it.',
    ),
  payout_not_waiting: ({ state = '' }) => stateConflict('The payout is not waiting for approval.', state),
  beneficiary_erased: () =>
    conflict('The beneficiary was erased, so the payout has no destination. Reject it.'),
  person_limit: ({ max, seconds = 0 }) =>
    new ApiError('rate_limited', `At most ${max} exports and erasures per hour.`, {
      retryAfterSeconds: seconds,
      reason: 'rate_limited',
    }),
  no_room: ({ used, max, noun }) =>
    new ApiError(
      'unprocessable',
      `The workspace has ${used} ${noun}. The limit is ${max}. Delete one first.`,
      {
        reason: 'unprocessable',
      },
    ),
  absent_for_if_match: () =>
    new ApiError('precondition_failed', 'The record does not exist, but If-Match requires it.', {
      reason: 'precondition_failed',
    }),
  version_differs: ({ current = {}, version = '' }) =>
    new ApiError(
      'precondition_failed',
      'The record has changed since you read it. Compare it with `current` and retry.',
      {
        extra: { current },
        headers: { ETag: entityTagOf(version, current) },
        reason: 'precondition_failed',
      },
    ),
  ends_too_early: () => invalid('field', 'ends_at', 'must be later than starts_at', 'validation'),
  tier_taken: ({ existing_id }) =>
    fieldError(
      'conflict',
      'Another tier begins at this number of points.',
      'min_points',
      'is taken by another tier',
      {
        existing_id,
      },
    ),
  mission_in_use: () =>
    conflict('Players have completed this mission. Set its points to 0 or unmap its codes.'),
  badge_in_use: () => conflict('Players have earned this badge. Change its name or raise its threshold.'),
  challenge_in_use: () => conflict('Players have completed this challenge. Change its ends_at to end it.'),
  stage_in_use: () => conflict('The stage has deals. Move them to another stage first.'),
  stage_not_allowed: () =>
    invalid('field', 'stage', 'is only allowed with the event deal.stage_changed', 'validation'),
  to_before_from: () => invalid('parameter', 'to', 'must not be before from', 'validation'),
  time_too_long: () => invalid('parameter', 'from', 'must be at most 31 days before to', 'validation'),
  player_missing: () =>
    new ApiError('not_found', 'There is no player with this id.', { reason: 'not_found' }),
  activity_unknown: () =>
    fieldError(
      'unprocessable',
      'The request refers to something that does not exist.',
      'external_id',
      'is not an activity of this workspace',
    ),
  code_not_mapped: () =>
    new ApiError('not_found', 'The activity code is not mapped to a mission.', { reason: 'not_found' }),
};

const conflict = (message: string): ApiError => new ApiError('conflict', message, { reason: 'conflict' });

const notAllowed = (message: string): ApiError =>
  new ApiError('insufficient_scope', message, { reason: 'insufficient_scope' });

/** A 409 with the state that the record has. */
export const stateConflict = (message: string, state: string): ApiError =>
  new ApiError('conflict', message, { extra: { state }, reason: 'conflict' });
