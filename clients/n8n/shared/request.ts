// Sends requests with a credential, and waits if the API is rate limiting or unavailable.
import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IN8nHttpFullResponse,
  type JsonObject,
  NodeApiError,
  sleep,
} from 'n8n-workflow';
import { functionsUrl } from './base-url.ts';
import type { Operation } from './operation.ts';

export type Functions = IExecuteFunctions | IHookFunctions;

export interface Request extends Pick<Operation, 'credential' | 'method'> {
  /** Below `/functions/v1`. */
  path: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
  /** The item that the request is for. */
  itemIndex?: number;
}

export interface Answer {
  status: number;
  headers: IDataObject;
  text: string;
}

export const credentialNames = { oauth2: 'placarOAuth2Api', apiKey: 'placarApiKeyApi' } as const;

/** A request waits no longer than this, in seconds. */
const MAX_WAIT_SECONDS = 60;

/** Seconds until a request can be repeated; undefined if it failed for good or succeeded. */
function secondsToWait({ status, headers }: Answer, attempt: number): number | undefined {
  const retryAfter = headers['retry-after'];
  // 409 with Retry-After: the first request with the same Idempotency-Key is still running.
  if (status !== 429 && status !== 503 && !(status === 409 && retryAfter !== undefined)) return undefined;
  const seconds = Number(retryAfter ?? 2 ** attempt);
  const untilDate = (Date.parse(String(retryAfter)) - Date.now()) / 1000;
  return Math.max(1, Number.isNaN(seconds) ? untilDate || 1 : seconds);
}

/** The path with the query, encoded as the signatures of payments cover it. */
function targetOf({ path, query = {} }: Request): string {
  const parts = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

async function sendOnce(functions: Functions, request: Request): Promise<Answer> {
  const { credential, method, headers, body } = request;
  const name = credentialNames[credential];
  const { url } = await functions.getCredentials<{ url: string }>(name);
  const response: IN8nHttpFullResponse = await functions.helpers.httpRequestWithAuthentication.call(
    functions,
    name,
    {
      method,
      url: functionsUrl(url) + targetOf(request),
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // Signatures cover the text of the body, and numbers stay as they are.
      encoding: 'text',
      returnFullResponse: true,
      // n8n gets a new access token after a 401.
      ignoreHttpStatusErrors: { ignore: true, except: [401] },
    },
  );
  return { status: response.statusCode, headers: response.headers, text: String(response.body ?? '') };
}

/** @throws NodeApiError if the API cannot be reached or rejects the credential */
export async function send(functions: Functions, request: Request): Promise<Answer> {
  let waited = 0;
  for (let attempt = 0; ; attempt++) {
    const answer = await sendOnce(functions, request);
    const seconds = secondsToWait(answer, attempt);
    if (seconds === undefined || waited + seconds > MAX_WAIT_SECONDS) return answer;
    await sleep(seconds * 1000);
    waited += seconds;
  }
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: Detail[] };
  title?: string;
  detail?: string;
  errors?: Detail[];
}

interface Detail {
  index?: number;
  field: string;
  message: string;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error that n8n shows for a response that is not a success. */
function apiError(functions: Functions, { status, text }: Answer, itemIndex?: number): NodeApiError {
  const body = parsed(text);
  const { error, title, detail, errors }: ErrorBody = typeof body === 'object' && body !== null ? body : {};
  const details = (error?.details ?? errors ?? []).map(
    ({ index, field, message }) => `${index === undefined ? '' : `[${index}].`}${field}: ${message}`,
  );
  const reason = error?.message ?? detail ?? title ?? `The API responded with status ${status}`;
  // Items that go on after an error contain only its message.
  const message = details.length === 0 ? reason : `${reason.replace(/\.$/, '')}: ${details.join('; ')}`;
  return new NodeApiError(functions.getNode(), (body ?? { message }) as JsonObject, {
    message,
    httpCode: String(status),
    ...(itemIndex !== undefined && { itemIndex }),
  });
}

/**
 * The JSON of a successful response; undefined if it is empty.
 *
 * @throws NodeApiError for any other response
 */
export function contentOf(functions: Functions, answer: Answer, itemIndex?: number): unknown {
  if (answer.status >= 400) throw apiError(functions, answer, itemIndex);
  const content = parsed(answer.text);
  if (content !== undefined || answer.text === '') return content;
  const message = 'The response is not JSON. Check the URL of the credential.';
  throw new NodeApiError(
    functions.getNode(),
    { message },
    { message, ...(itemIndex !== undefined && { itemIndex }) },
  );
}

/** @throws NodeApiError if the request was not successful */
export async function call(functions: Functions, request: Request): Promise<unknown> {
  return contentOf(functions, await send(functions, request), request.itemIndex);
}
