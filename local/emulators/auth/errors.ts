// Errors in the format of Supabase Auth.
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';

/** Rendered as `{code, error_code, msg}`. The codes: https://supabase.com/docs/guides/auth/debugging/error-codes */
export class AuthError extends HTTPException {
  readonly errorCode: string;

  constructor(status: ContentfulStatusCode, errorCode: string, message: string) {
    super(status, { message });
    this.errorCode = errorCode;
  }
}

export const emailExists = () =>
  new AuthError(422, 'email_exists', 'A user with this email address has already been registered');

export const userNotFound = () => new AuthError(404, 'user_not_found', 'User not found');

export const linkExpired = () => new AuthError(403, 'otp_expired', 'Email link is invalid or has expired');

/** Validates the body. Throws 400 `validation_failed`. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new AuthError(400, 'validation_failed', `${issue?.path.join('.')}: ${issue?.message}`);
}
