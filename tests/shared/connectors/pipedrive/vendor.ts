// A small Pipedrive: what the tests of its adapter need, over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ConnectOptions, CrmConnection } from '../../../../shared/connectors/crms/crm.ts';
import { pipedrive } from '../../../../shared/connectors/crms/pipedrive/index.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import { httpWithoutWaits } from '../../../support/crms/http-without-waits.ts';

export const TOKEN = 'f'.repeat(40);

export type Row = Record<string, unknown>;

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Row;
  token: string | undefined;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON; texts as they are. Undefined: no answer at all. */
  body: unknown;
}

export const data = (body: unknown, status = 200): Answer => ({
  status,
  body: { success: true, data: body },
});
export const failure = (status: number, error: string, headers = {}): Answer => ({
  status,
  headers,
  body: { success: false, error, error_info: 'Please check developers.pipedrive.com', data: null },
});

export interface Vendor {
  url: string;
  requests: Request[];
  /** Answers by `GET /api/v2/deals`; without one: 404. */
  routes: Record<string, (request: Request) => Answer>;
}

export async function startVendor(routes: Vendor['routes'] = {}): Promise<Vendor> {
  const vendor: Vendor = { url: '', requests: [], routes };
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '', 'http://vendor');
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const request: Request = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      body: text ? JSON.parse(text) : {},
      token: String(incoming.headers['x-api-token']),
    };
    vendor.requests.push(request);
    const answer = vendor.routes[`${request.method} ${request.path}`]?.(request) ?? failure(404, 'Not found');
    if (answer.body === undefined) return;
    outgoing.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    outgoing.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // The address of a server that listens on a port has this type.
  const { port } = server.address() as AddressInfo;
  vendor.url = `http://127.0.0.1:${port}`;
  return vendor;
}

/** A connection without waits between its requests. */
export async function connectTo(url: string, options: Partial<ConnectOptions> = {}): Promise<CrmConnection> {
  return (await pipedrive.load()).connect({
    credentials: { domain: 'acme', api_token: TOKEN },
    addresses: { PIPEDRIVE_URL: url },
    customKeys: { lead: [], deal: [] },
    activityTypes: [],
    http: httpWithoutWaits('Pipedrive'),
    tokens: { accessToken: () => Promise.reject(new Error('Pipedrive has no OAuth tokens here')) },
    log: silentLogger,
    ...options,
  });
}
export const connect = ({ url }: Vendor, options: Partial<ConnectOptions> = {}): Promise<CrmConnection> =>
  connectTo(url, options);

/** Answers a list as Pipedrive does: filters, order by time of change, keyset cursors, at most 500. */
export function listOf(rows: () => Row[]): (request: Request) => Answer {
  return ({ query }) => {
    const since = query.get('updated_since');
    if (since && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(since))
      return failure(400, 'updated_since is invalid');
    const ids = query.get('ids')?.split(',');
    const keyOf = (row: Row) => `${row.update_time ?? ''}#${String(row.id).padStart(9, '0')}`;
    const found = rows()
      .filter((row) => !row.is_deleted && (!ids || ids.includes(String(row.id))))
      .filter((row) => !since || String(row.update_time ?? '') >= since)
      .filter((row) => !query.has('done') || String(row.done) === query.get('done'))
      .filter((row) => keyOf(row) > (query.get('cursor') ?? ''))
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const page = found.slice(0, Math.min(500, Number(query.get('limit') ?? 100)));
    const last = page.at(-1);
    const next = last && page.length < found.length ? keyOf(last) : null;
    return { body: { success: true, data: page, additional_data: { next_cursor: next } } };
  };
}

const TIMES = { add_time: '2026-01-01T00:00:00Z', update_time: '2026-11-01T10:00:00Z', is_deleted: false };

export const deal = (id: number, values: Row = {}): Row => ({
  id,
  title: `Deal ${id}`,
  owner_id: 7,
  value: 1250.5,
  currency: 'BRL',
  stage_id: 11,
  pipeline_id: 1,
  person_id: 5,
  status: 'open',
  lost_reason: null,
  won_time: null,
  lost_time: null,
  close_time: null,
  expected_close_date: '2026-12-31',
  is_archived: false,
  custom_fields: {},
  ...TIMES,
  ...values,
});

export const person = (id: number, values: Row = {}): Row => ({
  id,
  name: `Person ${id}`,
  owner_id: 7,
  org_id: null,
  emails: [{ value: `person${id}@acme.example`, primary: true, label: 'work' }],
  phones: [],
  job_title: null,
  custom_fields: {},
  ...TIMES,
  ...values,
});

export const activity = (id: number, values: Row = {}): Row => ({
  id,
  subject: `Activity ${id}`,
  type: 'call',
  owner_id: 7,
  done: true,
  marked_as_done_time: '2026-10-31T09:00:00Z',
  ...TIMES,
  ...values,
});
