// Sends requests to HubSpot and checks the format of its responses.
import { z } from 'zod';
import { parseRetryAfter } from '../../../platform/waits.ts';
import type { ConnectOptions } from '../crm.ts';
import type { CrmRequest, CrmResponse } from '../crm-http.ts';
import { CrmBusy, CrmRecordGone, CrmRejected, CrmUnreachable } from '../errors.ts';
import { BUSY_SECONDS, BUSY_STATUSES, pathsOf } from './facts.ts';

const MAX_REASON_LENGTH = 300;

export type HubSpotClient = ReturnType<typeof createHubSpotClient>;

/** Paths are below the base URL. */
export function createHubSpotClient({
  credentials,
  addresses,
  http,
}: Pick<ConnectOptions, 'credentials' | 'addresses' | 'http'>) {
  const { HUBSPOT_URL: base = '', HUBSPOT_VERSION: version = '' } = addresses;
  const token = credentials.service_key ?? credentials.access_token ?? '';

  async function send(request: Omit<CrmRequest, 'headers'>, signal: AbortSignal): Promise<CrmResponse> {
    const url = `${base}${request.url}`;
    const response = await http({ ...request, url, headers: { Authorization: `Bearer ${token}` } }, signal);
    if (!BUSY_STATUSES.includes(response.status)) return response;
    const retryAfter = parseRetryAfter(response.headers.get('retry-after'), Date.now());
    throw new CrmBusy(`HubSpot: status ${response.status}`, retryAfter ?? BUSY_SECONDS);
  }

  return {
    paths: pathsOf(version),
    /** POST if there is a body. Throws `CrmUnreachable` for other statuses, also 404, and for another format. */
    async read<T>(
      schema: z.ZodType<T>,
      url: string,
      signal: AbortSignal,
      body?: unknown,
      intervalMs?: number,
    ) {
      const method = body === undefined ? 'GET' : 'POST';
      const request = { method, url, body, ...(intervalMs && { intervalMs }) } as const;
      const response = await send(request, signal);
      if (!isSuccess(response)) throw new CrmUnreachable(`HubSpot ${url}: status ${response.status}`);
      return parseAs(schema, response.body, url);
    },
    /** Throws `CrmRejected` with HubSpot's words, and `CrmRecordGone` for 404 of a `PATCH`. */
    async write(method: CrmRequest['method'], url: string, signal: AbortSignal, body?: unknown) {
      const response = await send({ method, url, body }, signal);
      if (response.status === 404 && method === 'PATCH')
        throw new CrmRecordGone('HubSpot has no such record.');
      if (!isSuccess(response)) throw new CrmRejected(reasonOf(response, token));
      return response.body;
    },
  };
}

/** Throws `CrmUnreachable` if the body has another format. */
export function parseAs<T>(schema: z.ZodType<T>, body: unknown, where: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.join('.') || 'body';
  throw new CrmUnreachable(`HubSpot ${where}: unexpected format of ${path}`);
}

const isSuccess = ({ status }: CrmResponse): boolean => status >= 200 && status < 300;

const errorSchema = z.object({ message: z.string() });

/** HubSpot's own words in one line. */
function reasonOf({ status, body }: CrmResponse, token: string): string {
  const line = errorSchema.safeParse(body).data?.message.replace(/\s+/g, ' ').trim();
  const words = token ? line?.replaceAll(token, '[token]') : line;
  return `HubSpot: ${words || `status ${status}`}`.slice(0, MAX_REASON_LENGTH);
}
