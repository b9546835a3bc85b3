// Maps database errors of administration to API errors. A reason is the name that `app.raise_domain_error` raises, and its detail has the
// values of the sentence.
import { isSqlError, violatedConstraint } from '../platform/db/sql-errors.ts';
import { ApiError, type ErrorCode, type ErrorDetail, UNPROCESSABLE_MESSAGE } from '../platform/errors.ts';
import { entityTagOf } from './entity-tag.ts';

/** The values that SQL raises with a reason. */
interface ReasonDetail {
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
const FIX_FIELDS = 'Fix these fields.';

const fieldError = (
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

/** The 400 for a query parameter. */
export const queryFault = (field: string, message: string): ApiError =>
  new ApiError('validation', 'Fix these query parameters.', {
    details: [{ field, message }],
    reason: 'validation',
  });

/** How paths name a record of a kind, where not by its id or name. */
const references: Readonly<Record<string, string>> = {
  api_key: 'API key with this id or label',
  client: 'OAuth client with this client_id or label',
  provider_account: 'provider account with this id',
  payout: 'payout with this id',
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

const reasons: Readonly<Record<string, (detail: ReasonDetail) => ApiError>> = {
  unknown_reference: unknownReference,
  ambiguous_name: ambiguousName,
  user_not_readable: (detail) => missingScopes('Naming a user also requires read:users.', detail),
  automation_not_allowed: (detail) =>
    missingScopes('An automation can only do what your own token may do.', detail),
  scope_not_own: (detail) => missingScopes('You can only grant scopes that your own token has.', detail),
  network_invalid: ({ name }) =>
    fieldError(
      'validation',
      FIX_FIELDS,
      'ip_allowlist',
      `"${name}" is not an IP address or network, such as 203.0.113.7 or 2001:db8::/32`,
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
  approval_rule_protected: (detail) =>
    missingScopes('Raising or removing a payout approval rule also requires approve:payouts.', detail),
  own_payout: () => notAllowed('The client that requested a payout cannot decide on it.'),
  requester_known: () =>
    notAllowed(
      'One client has known the secret of both this client and the credential that requested the payout, because it created or rotated them. ' +
        'Decide with a client whose secret it has never known, for example one that was created with SQL.',
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
  ends_too_early: () => fieldError('validation', FIX_FIELDS, 'ends_at', 'must be later than starts_at'),
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
    fieldError('validation', FIX_FIELDS, 'stage', 'is only allowed with the event deal.stage_changed'),
  to_before_from: () => queryFault('to', 'must not be before from'),
  time_too_long: () => queryFault('from', 'must be at most 31 days before to'),
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

const stateConflict = (message: string, state: string): ApiError =>
  new ApiError('conflict', message, { extra: { state }, reason: 'conflict' });

/** The error of a reason. */
export function adminError(reason: string, detail: ReasonDetail = {}): ApiError {
  const error = reasons[reason]?.(detail);
  if (!error) throw new Error(`Unknown reason ${reason}.`);
  return error;
}

/** How an operation reports errors that do not say it themselves. */
export interface ErrorContext {
  /** The kind of the record that is written. */
  kind?: string;
  /** The error of an argument that SQL rejects. Default: `unprocessable`. */
  onArgument?: (argument: ErrorDetail, reason: string | undefined) => ApiError;
}

/** The 400 for an argument that is invalid in itself. */
export const invalidArgument = ({ field, message }: ErrorDetail): ApiError =>
  fieldError('validation', FIX_FIELDS, field, message);

const unfitArgument = (argument: ErrorDetail): ApiError =>
  new ApiError('unprocessable', UNPROCESSABLE_MESSAGE, {
    details: argument.field ? [argument] : [],
    reason: 'unprocessable',
  });

/** The `ApiError` for a known database error; other errors are returned unchanged. */
function asAdminError(error: unknown, { kind = '', onArgument = unfitArgument }: ErrorContext): unknown {
  if (isSqlError(error, 'domainError')) {
    return reasons[error.message]?.(JSON.parse(error.detail ?? '{}') as ReasonDetail) ?? error;
  }
  if (isSqlError(error, 'argumentRejected')) {
    // The message begins with the name of the argument.
    const { column: field = '', message, constraint } = error;
    return onArgument({ field, message: message.slice(field.length + 2) }, constraint);
  }
  if (violatedConstraint(error) === 'name_taken') {
    const { detail: existing_id } = error as { detail?: string };
    return fieldError('conflict', `Another ${kind} has this name.`, 'name', 'is taken', { existing_id });
  }
  if (isSqlError(error, 'foreignKeyViolated')) return reasons[`${kind}_in_use`]?.({}) ?? error;
  return error;
}

/** The error of a key that is being rotated. */
export const keyRotating = (argument: ErrorDetail, reason: string | undefined): ApiError =>
  reason === 'key_rotating' ? stateConflict(`${argument.message}.`, 'rotated') : unfitArgument(argument);

/** The error of a key that another account uses. `field` is the member with the key. */
export const keyTaken =
  (field: string) =>
  (argument: ErrorDetail, reason: string | undefined): ApiError =>
    reason === 'key_taken'
      ? fieldError(
          'conflict',
          'Another account uses this key. Each account needs its own key.',
          field,
          'is used by another account',
        )
      : unfitArgument(argument);

/** Awaits database work and throws its known errors as `ApiError`. */
export async function withAdminErrors<T>(work: Promise<T>, context: ErrorContext = {}): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asAdminError(error, context);
  }
}
