// Calls activity sync as an integration does.
import { inject } from 'vitest';
import { signRequest } from '../../../shared/platform/access/api-keys.ts';
import { UNCOMPRESSED } from '../wire/uncompressed.ts';

export const SYNC_PATH = '/default-integration';

/** JSON of a response, or a database row. */
// biome-ignore lint/suspicious/noExplicitAny: what a test reads of it is what it asserts.
export type Json = any;

export interface Reply {
  status: number;
  headers: Headers;
  body: Json;
}

export interface CallOptions {
  method?: string;
  /** Path and query, beginning with the name of the function. */
  target?: string;
  headers?: Record<string, string>;
  /** URL of the functions. Default: the shared stack. */
  baseUrl?: string;
}

const functionsUrl = () => `${inject('stack').base_url}/functions/v1`;

async function send(body: BodyInit | undefined, options: CallOptions, authorization: string): Promise<Reply> {
  const { method = 'POST', target = SYNC_PATH, headers = {}, baseUrl = functionsUrl() } = options;
  const response = await fetch(`${baseUrl}${target}`, {
    method,
    headers: {
      ...UNCOMPRESSED,
      Authorization: authorization,
      'Content-Type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

/** Sends `Bearer <key>`. An object is sent as JSON, text and bytes unchanged. */
export function sync(apiKey: string, body: unknown, options: CallOptions = {}): Promise<Reply> {
  const asIs = typeof body === 'string' || body instanceof Uint8Array;
  return send(asIs ? (body as BodyInit) : JSON.stringify(body), options, `Bearer ${apiKey}`);
}

/** Sends a request with an SVC-SIGN-V1 signature. */
export function signedSync(apiKey: string, body: unknown, options: CallOptions = {}): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const { method = 'POST', target = SYNC_PATH } = options;
  const signature = signRequest(apiKey, { timestamp, method, target, body: new TextEncoder().encode(text) });
  return send(text, options, `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}`);
}

export const collaborator = (name: string, more: Record<string, unknown> = {}) => ({
  external_id: `crm-${name}`,
  name,
  email: `${name}@example.com`,
  ...more,
});

export const activity = (externalId: string, email: string, more: Record<string, unknown> = {}) => ({
  activity_code: '001',
  external_id: externalId,
  collaborator_email: email,
  ...more,
});

export const syncCollaborators = (apiKey: string, collaborators: unknown[]) =>
  sync(apiKey, { action: 'sync_collaborators', collaborators });

export const syncActivities = (apiKey: string, activities: unknown[]) =>
  sync(apiKey, { action: 'sync_activities', activities });
