/** HubSpot: requests that its adapter does not make, and what is unconfirmed about it. */
import { z } from 'zod';
import type { ConnectOptions } from '../../../../shared/connectors/crms/crm.ts';
import type { CrmRequest } from '../../../../shared/connectors/crms/crm-http.ts';
import { CrmUnreachable } from '../../../../shared/connectors/crms/errors.ts';
import { LIMITS, pathsOf, TASK_DONE } from '../../../../shared/connectors/crms/hubspot/facts.ts';
import {
  differs,
  type Fact,
  jsonOf,
  notTried,
  ok,
  retryAfterOfLimits,
  statusesOf,
  untried,
} from '../facts.ts';
import { MANY_CONTACTS, type ReceivedWebhook, type VendorTools } from '../subject.ts';

type Options = Pick<ConnectOptions, 'credentials' | 'addresses' | 'http'>;

const createdSchema = z.object({ id: z.coerce.string() });
const totalSchema = z.object({ total: z.number() });
const objectOf = { lead: 'contacts', deal: 'deals', activity: 'tasks' } as const;
const bodySchema = z.looseObject({ limit: z.number() });

function createRequest({ credentials, addresses, http }: Options) {
  const token = credentials.service_key ?? credentials.access_token;
  return async (method: CrmRequest['method'], path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${token}` };
    const url = `${addresses.HUBSPOT_URL}${path}`;
    return await http({ method, url, headers, ...(body !== undefined && { body }) });
  };
}

export function hubspotTools(options: Options): VendorTools {
  const { records } = pathsOf(options.addresses.HUBSPOT_VERSION ?? '');
  const send = createRequest(options);
  const request: typeof send = async (method, path, ...rest) => {
    const response = await send(method, path, ...rest);
    if (response.status < 300 || response.status === 404) return response;
    throw new CrmUnreachable(`HubSpot ${method} ${path}: status ${response.status}`);
  };
  const taskOf = (id: string) => `${records('tasks')}/${id.replace('tasks:', '')}`;
  return {
    async hasManyContacts() {
      const { body } = await request('POST', `${records('contacts')}/search`, { limit: 1 });
      return totalSchema.parse(body).total > MANY_CONTACTS;
    },
    async remove(kind, id) {
      const path = kind === 'activity' ? taskOf(id) : `${records(objectOf[kind])}/${id}`;
      await request('DELETE', path);
    },
    async createActivity(name) {
      const hs_timestamp = new Date().toISOString();
      const properties = { hs_task_subject: name, hs_timestamp, hs_task_status: 'NOT_STARTED' };
      const { body } = await request('POST', records('tasks'), { properties });
      return `tasks:${createdSchema.parse(body).id}`;
    },
    async setDone(id) {
      await request('PATCH', taskOf(id), { properties: { hs_task_status: TASK_DONE } });
    },
    activityType: 'tasks',
    lossReason: async () => 'Placar check',
    withSmallPages(each) {
      const { data: body } = bodySchema.safeParse(each.body);
      return body && each.url.endsWith('/search') ? { ...each, body: { ...body, limit: 2 } } : each;
    },
    stranger: { credentials: { access_token: 'pat-na1-00000000-0000-0000-0000-000000000000' } },
  };
}

const eventSchema = z.looseObject({ eventId: z.union([z.string(), z.number()]) });

/** Events of each webhook that arrived. */
const eventsOf = (received: readonly ReceivedWebhook[] = []) =>
  received.map(({ body }) => z.array(eventSchema).catch([]).parse(jsonOf(body)));

/** More than the batches of our requests have. */
const LARGE_BATCH = 1000;
const NONE_ARRIVED = 'No webhook arrived: by hand';

function pathFacts({ addresses: { HUBSPOT_VERSION: version = '' } }: Options): Fact[] {
  const paths = pathsOf(version);
  return [paths.owners, paths.pipelines, paths.contactsOfDeals].map((path) => ({
    assumed: `The path \`${path}\` exists`,
    observe: ({ subject }) => statusesOf(subject.exchanges, (seen) => seen === path),
  }));
}

export const hubspotFacts = (options: Options): Fact[] => [
  ...pathFacts(options),
  untried(
    'Four searches a second are allowed, or five by now; we send 60 % of four',
    'Limits are not provoked',
    'five now: U',
  ),
  retryAfterOfLimits(),
  {
    assumed: 'Requests for associations may have 1000 ids; ours have 100',
    line: 'Associations may allow 1000 [U]',
    async observe() {
      const { contactsOfDeals } = pathsOf(options.addresses.HUBSPOT_VERSION ?? '');
      const inputs = Array.from({ length: LARGE_BATCH }, (_, index) => ({ id: String(index + 1) }));
      const { status } = await createRequest(options)('POST', contactsOfDeals, { inputs });
      const seen = `Status ${status} for ${LARGE_BATCH} ids`;
      return status < 300 ? ok(seen) : differs(`${seen}; ours have ${LIMITS.batch}, which is allowed`);
    },
  },
  {
    assumed: 'A webhook has at most 100 events',
    observe({ subject }) {
      const counts = eventsOf(subject.received).map(({ length }) => length);
      if (counts.length === 0) return notTried(NONE_ARRIVED);
      const most = Math.max(...counts);
      return most <= 100 ? ok(`The largest had ${most}`) : differs(`One had ${most}`);
    },
  },
  {
    assumed: '`eventId` may not be unique; we compare four members',
    observe({ subject }) {
      const ids = eventsOf(subject.received).flatMap((events) =>
        events.map(({ eventId }) => String(eventId)),
      );
      if (ids.length === 0) return notTried(NONE_ARRIVED);
      return ok(`${new Set(ids).size} different ids of ${ids.length} events`);
    },
  },
  untried('A webhook without an answer is retried 10 times within 24 hours', 'It takes a day'),
  untried(
    'Subscriptions to calls, meetings, emails and tasks name them in lower case',
    'By hand: upload the file and see whether HubSpot accepts it',
    'HubSpot lists the others in upper case [U]',
  ),
  untried(
    'HubSpot decodes no other escapes in the URI that it signs than those of its documents',
    'Our addresses contain no escapes',
    'Whether it decodes others is unconfirmed',
  ),
];
