// Wise API client for one account: URLs, authentication, response parsing and error messages.
import { z } from 'zod';
import type { Logger } from '../../../platform/logger.ts';
import type { ProviderAccount } from '../accounts.ts';
import { addressOf, type ConnectionOptions } from '../definition.ts';
import { ProviderOutcomeUnknown, ProviderRejected } from '../errors.ts';
import { createProviderCaller, type ProviderRequest, type ProviderResponse } from '../provider-http.ts';

const settingsSchema = z.object({
  profile_id: z.union([z.int().positive(), z.string().regex(/^\d{1,19}$/)]).transform(String),
  source_currency: z.string().regex(/^[A-Z]{3}$/),
});

type Refused = (answer: ProviderResponse) => Error;

/** The client of one operation, whose requests end with the signal of the operation. */
export interface WiseClient {
  accountId: string;
  profileId: string;
  sourceCurrency: string;
  log: Logger;
  /** Returns the response. Throws like `createProviderCaller`. */
  call(request: ProviderRequest): Promise<ProviderResponse>;
  /** Returns the parsed body (`parsedBody`). */
  ask<T>(schema: z.ZodType<T>, request: ProviderRequest, refused?: Refused): Promise<T>;
}

/** `until` returns the client of an operation. */
export function createWiseClient(account: ProviderAccount, { addresses, log }: ConnectionOptions) {
  const settings = settingsSchema.parse(account.settings);
  const callWise = createProviderCaller('Wise', {
    baseUrl: `${addressOf(addresses, 'WISE_URL').replace(/\/+$/, '')}/${addressOf(addresses, 'WISE_VERSION')}`,
    headers: { Authorization: `Bearer ${account.key}` },
  });

  const call = async (request: ProviderRequest, signal: AbortSignal) => {
    const correlation = crypto.randomUUID();
    const headers = { ...request.headers, 'X-External-Correlation-Id': correlation };
    const answer = await callWise({ ...request, headers }, signal);
    if (answer.status >= 400)
      log.info('Wise rejected a request', {
        method: request.method,
        path: request.path.replace(/\?.*/, ''),
        status: answer.status,
        codes: faultsOf(answer.body)
          .map(({ code }) => code)
          .join(', '),
        correlation,
        trace: answer.headers.get('x-trace-id'),
      });
    return answer;
  };

  const profileId = settings.profile_id;
  const until = (signal: AbortSignal): WiseClient => ({
    accountId: account.id,
    profileId,
    sourceCurrency: settings.source_currency,
    log,
    call: (request) => call(request, signal),
    ask: async (schema, request, refused) =>
      parsedBody(schema, await call(request, signal), `${request.method} ${request.path}`, refused),
  });
  return { profileId, until };
}

/**
 * Returns the parsed body of a successful response. For other statuses, throws the result of `refused` (default: `ProviderRejected`
 * with Wise's message). Throws `ProviderOutcomeUnknown` if the body does not match the schema.
 */
export function parsedBody<T>(
  schema: z.ZodType<T>,
  answer: ProviderResponse,
  requested: string,
  refused: Refused = wiseRejection,
): T {
  if (answer.status >= 300) throw refused(answer);
  const result = schema.safeParse(answer.body);
  if (result.success) return result.data;
  // Wise may have processed the request.
  throw new ProviderOutcomeUnknown(`Wise ${requested}: unexpected response format`);
}

interface WiseError {
  code: string;
  message: string;
  /** Path of the invalid member, such as `details.sortCode`. */
  path: string | undefined;
}

const text = z.string().catch('');
const listed = z.object({
  errors: z
    .array(z.object({ code: text, message: text, path: z.string().nullish().catch(undefined) }))
    .min(1),
});
const single = z.object({
  code: text,
  errorCode: text,
  error: text,
  error_description: text,
  message: text,
  errorMessage: text,
  detail: text,
});

/** Parses the errors of a response body, in any of Wise's four error formats. */
export function faultsOf(body: unknown): WiseError[] {
  const list = listed.safeParse(body);
  if (list.success)
    return list.data.errors.map(({ code, message, path }) => ({ code, message, path: path ?? undefined }));
  const one = single.safeParse(body);
  if (!one.success) return [];
  const { code, errorCode, error, error_description, message, errorMessage, detail } = one.data;
  const fault = {
    code: code || errorCode || error,
    message: message || error_description || errorMessage || detail,
    path: undefined,
  };
  return fault.code || fault.message ? [fault] : [];
}

/** `ProviderRejected` with Wise's message. */
export function wiseRejection(answer: ProviderResponse): ProviderRejected {
  if (needsApproval(answer))
    return new ProviderRejected('Wise requires manual approval (strong customer authentication).');
  const messages = faultsOf(answer.body)
    .map(({ code, message }) => message || code)
    .join('; ');
  return new ProviderRejected(messages || `Wise rejected the request with status ${answer.status}.`);
}

/** Whether Wise requires strong customer authentication (SCA), which only a user can complete. */
const needsApproval = ({ status, headers }: ProviderResponse): boolean =>
  status === 403 && headers.has('x-2fa-approval');

export const hasCode = (answer: ProviderResponse, code: string): boolean =>
  faultsOf(answer.body).some((fault) => fault.code === code);
