// Why the database refuses a request about webhooks, as callers of both interfaces are told.
import { brokenConstraint, isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError, type ErrorCode } from '../../platform/errors.ts';

/** What callers are told. */
export interface Refusal {
  code: ErrorCode;
  message: string;
  /** Member at fault, by its canonical name. */
  field?: string;
}

/** By the reason's name, as `app.raise_domain_error` raises it. */
export const webhookReasons = {
  webhook_missing: { code: 'not_found', message: 'There is no webhook with this id.' },
  delivery_missing: { code: 'not_found', message: 'The webhook has no delivery with this id.' },
  replay_missing: { code: 'not_found', message: 'The webhook has no replay with this id.' },
  webhook_inactive: {
    code: 'conflict',
    message: 'The webhook is not active: activate it first, with PATCH {"active": true}.',
  },
  event_unsubscribed: {
    code: 'conflict',
    message: 'The webhook does not subscribe to the event of this delivery.',
  },
} satisfies Record<string, Refusal>;

/** By the name of the constraint that a row broke. */
export const webhookConstraints: Record<string, Refusal> = {
  webhook_endpoints_url_allowed: { code: 'validation', message: 'is not allowed', field: 'url' },
  webhook_endpoints_client_revoked: {
    code: 'conflict',
    message: 'The client of this webhook was revoked.',
  },
  webhook_endpoints_same: {
    code: 'conflict',
    message: 'Another webhook of this workspace has this address, these events and these filters.',
  },
  webhook_endpoints_plan_limit: {
    code: 'unprocessable',
    message: "The plan's number of webhooks is reached. Delete one, or ask for a larger plan.",
  },
  webhook_endpoints_host_limit: {
    code: 'unprocessable',
    message: 'would be one more with this host than the plan allows: subscribe one to several events',
    field: 'url',
  },
};

/** What an error of the database means to a caller: an `ApiError` that says why, or the error itself. */
export function asWebhookError(error: unknown): unknown {
  const reason = isSqlError(error, 'domainError') ? error.message : (brokenConstraint(error) ?? '');
  const refusal = Object.hasOwn(webhookReasons, reason)
    ? webhookReasons[reason as keyof typeof webhookReasons]
    : webhookConstraints[reason];
  return refusal ? refusalError(refusal, reason) : error;
}

/** Waits for work, and throws its errors of the database as those that callers are told. */
export async function withWebhookErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asWebhookError(error);
  }
}

/** The error of a reason by its name. */
export function webhookError(reason: keyof typeof webhookReasons): ApiError {
  return refusalError(webhookReasons[reason], reason);
}

/** The error that tells of a refusal. */
export function refusalError({ code, message, field }: Refusal, reason: string): ApiError {
  if (!field) return new ApiError(code, message, { reason });
  const details = [{ field, message }];
  return new ApiError(code, 'This cannot be done with these values.', { details, reason });
}
