// Errors in the formats of Supabase Auth.
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';

/** The version from which an error is `{code, message}`. Clients request it with this header. */
const VERSION_HEADER = 'X-Supabase-Api-Version';
const VERSION = '2024-01-01';

/** Rendered as `{code, error_code, msg}`. The codes: https://supabase.com/docs/guides/auth/debugging/error-codes */
export class AuthError extends HTTPException {
  readonly errorCode: string;
  /** Further members of the response. */
  readonly details: Record<string, unknown>;

  constructor(
    status: ContentfulStatusCode,
    errorCode: string,
    message: string,
    details: Record<string, unknown> = {},
  ) {
    super(status, { message });
    this.errorCode = errorCode;
    this.details = details;
  }
}

export const emailExists = () =>
  new AuthError(422, 'email_exists', 'A user with this email address has already been registered');

export const userNotFound = () => new AuthError(404, 'user_not_found', 'User not found');

export const linkExpired = () => new AuthError(403, 'otp_expired', 'Email link is invalid or has expired');

export const validationFailed = (message: string) => new AuthError(400, 'validation_failed', message);

/** Validates the body. Throws 400 `validation_failed`. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw validationFailed(`${issue?.path.join('.')}: ${issue?.message}`);
}

/** Reads and validates the JSON body of a request. Throws 400 `bad_json` or `validation_failed`. */
export async function readBody<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  return parseBody(schema, await c.req.json());
}

/** The response to a failed request. Logs unexpected errors. */
export function renderError(error: Error, c: Context): Response {
  const known = toAuthError(error);
  if (!known) console.error('Auth failed', error);
  const { status, errorCode, message, details } =
    known ?? new AuthError(500, 'unexpected_failure', 'Unexpected failure');
  c.header('X-Sb-Error-Code', errorCode);
  if ((c.req.header(VERSION_HEADER) ?? '') < VERSION)
    return c.json({ code: status, error_code: errorCode, msg: message, ...details }, status);
  c.header(VERSION_HEADER, VERSION);
  return c.json({ code: errorCode, message, ...details }, status);
}

function toAuthError(error: Error): AuthError | undefined {
  if (error instanceof AuthError) return error;
  if (!(error instanceof SyntaxError)) return undefined;
  return new AuthError(400, 'bad_json', 'Could not parse request body as JSON');
}
