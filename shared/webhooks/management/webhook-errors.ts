// Maps database errors about webhooks to API errors, for both interfaces.
import { isSqlError, violatedConstraint } from '../../platform/db/sql-errors.ts';
import { ApiError, type ErrorCode, UNPROCESSABLE_MESSAGE } from '../../platform/errors.ts';

/** The API error for a reason or constraint. With a `field`, `message` is the error of that field. */
export interface ErrorRule {
  code: ErrorCode;
  message: string;
  /** The invalid member, by its canonical name. */
  field?: string;
}

/** By the reason that `app.raise_domain_error` raises. */
export const webhookReasons = {
  webhook_missing: { code: 'not_found', message: 'There is no webhook with this id.' },
  delivery_missing: { code: 'not_found', message: 'The webhook has no delivery with this id.' },
  replay_missing: { code: 'not_found', message: 'The webhook has no replay with this id.' },
  too_many_replays: {
    code: 'conflict',
    message: 'Three replays of this webhook are in progress. Wait until one is done.',
  },
  webhook_inactive: {
    code: 'conflict',
    message: 'The webhook is not active. Activate it with PATCH {"active": true}.',
  },
  event_unsubscribed: {
    code: 'conflict',
    message: 'The webhook does not subscribe to the event of this delivery.',
  },
} satisfies Record<string, ErrorRule>;

/** By the name of the violated constraint. `{limit}` is the limit that the database reports. */
export const webhookConstraints: Record<string, ErrorRule> = {
  webhook_endpoints_url_allowed: { code: 'validation', message: 'is not allowed', field: 'url' },
  webhook_endpoints_client_revoked: {
    code: 'conflict',
    message:
      'The OAuth client of this webhook was revoked. Activate the webhook with another client or create a new one.',
  },
  webhook_endpoints_client_scopes: {
    code: 'conflict',
    message:
      'The OAuth client of this webhook no longer has the scopes to read its events. Give them back or use another client.',
  },
  webhook_endpoints_same: {
    code: 'conflict',
    message: 'Another webhook of this workspace has the same URL, events and filters.',
  },
  webhook_endpoints_plan_limit: {
    code: 'unprocessable',
    message: 'Your plan allows {limit} webhooks. Delete one or ask for a larger plan.',
  },
  webhook_endpoints_host_limit: {
    code: 'unprocessable',
    message: 'Your plan allows {limit} webhooks per host. Delete one or use another host.',
    field: 'url',
  },
  webhook_endpoints_contains_limit: {
    code: 'unprocessable',
    message: 'A workspace can have {limit} filters with contains. Use eq or in, or delete a webhook.',
    field: 'filters',
  },
};

/** The `ApiError` for a known database error; other errors are returned unchanged. */
function asWebhookError(error: unknown): unknown {
  const reason = isSqlError(error, 'domainError') ? error.message : (violatedConstraint(error) ?? '');
  if (Object.hasOwn(webhookReasons, reason)) return webhookError(reason as keyof typeof webhookReasons);
  const rule = webhookConstraints[reason];
  return rule ? constraintError(rule, reason, error) : error;
}

/** Awaits database work and throws its known errors as `ApiError`. */
export async function withWebhookErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asWebhookError(error);
  }
}

/** The error of a reason. */
export function webhookError(reason: keyof typeof webhookReasons): ApiError {
  return ruleError(webhookReasons[reason], reason);
}

/** The error of a violated constraint, with the limit from the database's message: "... allows at most 5 webhooks". */
export function constraintError(rule: ErrorRule, constraint: string, error: unknown): ApiError {
  const [, limit = 'no more'] = /at most (\d+) /.exec(error instanceof Error ? error.message : '') ?? [];
  return ruleError({ ...rule, message: rule.message.replace('{limit}', limit) }, constraint);
}

/** The error of a rule. */
export function ruleError({ code, message, field }: ErrorRule, reason: string): ApiError {
  if (!field) return new ApiError(code, message, { reason });
  const details = [{ field, message }];
  return new ApiError(code, UNPROCESSABLE_MESSAGE, { details, reason });
}
