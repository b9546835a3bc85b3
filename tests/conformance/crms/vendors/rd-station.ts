/** RD Station CRM: requests that its adapter does not make, and what is unconfirmed about it. */
import { z } from 'zod';
import type { ConnectOptions } from '../../../../shared/connectors/crms/crm.ts';
import type { CrmRequest } from '../../../../shared/connectors/crms/crm-http.ts';
import { CrmUnreachable } from '../../../../shared/connectors/crms/errors.ts';
import { authorization } from '../../../../shared/connectors/crms/rd-station/client.ts';
import {
  LISTS,
  MAX_LISTED,
  NUMBERS,
  PAGE_SIZE,
  TASK,
} from '../../../../shared/connectors/crms/rd-station/facts.ts';
import type { CheckRun } from '../check-run.ts';
import { differs, type Fact, jsonOf, notTried, type Observation, ok, untried } from '../facts.ts';
import { MANY_CONTACTS, NotTried, needed, type VendorTools } from '../subject.ts';

type Options = Pick<ConnectOptions, 'credentials' | 'addresses' | 'http' | 'tokens'>;

const pageSchema = z.object({ data: z.array(z.unknown()) });
const createdSchema = z.object({ data: z.object({ id: z.string() }) });
const namedSchema = z.object({ data: z.array(z.object({ name: z.string() })) });
const webhooksSchema = z.object({ data: z.array(z.object({ url: z.string().nullish() })) });
const fieldsSchema = z.object({ data: z.array(z.object({ type: z.string() })) });
const usersSchema = z.object({
  data: z.array(z.object({ id: z.string(), created_at: z.string().nullish() })),
});

function createRequest(options: Options) {
  return async (method: CrmRequest['method'], path: string, data?: unknown) => {
    const token = await options.tokens.accessToken((token) => authorization.refresh(token, options));
    const url = `${options.addresses.RD_STATION_URL}${path}`;
    const headers = { Authorization: `Bearer ${token}` };
    return await options.http({ method, url, headers, ...(data !== undefined && { body: { data } }) });
  };
}

export function rdStationTools(options: Options): VendorTools {
  const request = createRequest(options);
  const read = async <T>(schema: z.ZodType<T>, path: string): Promise<T> => {
    const { status, body } = await request('GET', path);
    if (status >= 300) throw new CrmUnreachable(`RD Station CRM GET ${path}: status ${status}`);
    return schema.parse(body);
  };
  const write = async (method: 'POST' | 'PUT', path: string, data: unknown) => {
    const { status, body } = await request(method, path, data);
    if (status >= 300) throw new CrmUnreachable(`RD Station CRM ${method} ${path}: status ${status}`);
    return createdSchema.parse(body).data.id;
  };
  return {
    async hasManyContacts() {
      const page = MANY_CONTACTS / PAGE_SIZE + 1;
      const query = `page[number]=${page}&page[size]=${PAGE_SIZE}&sort[created_at]=asc`;
      return (await read(pageSchema, `/contacts?${query}`)).data.length > 0;
    },
    async remove(kind, id) {
      const path = `${LISTS[kind].path}/${id}`;
      if ((await request('GET', path)).status === 404) return;
      const { status } = await request('DELETE', path);
      if (status >= 300) throw new NotTried(`RD Station CRM cannot delete it by its API (status ${status})`);
    },
    createActivity: (name, type, dealId) =>
      write('POST', '/tasks', { name, type: type.slice(TASK.length), deal_id: dealId }),
    async setDone(id) {
      await write('PUT', `/tasks/${id}`, { status: 'completed' });
    },
    activityType: `${TASK}call`,
    lossReason: async () => (await read(namedSchema, '/lost_reasons?sort[name]=asc')).data[0]?.name ?? null,
    withSmallPages: (each) => ({
      ...each,
      url: each.url.replace(`page%5Bsize%5D=${PAGE_SIZE}`, 'page%5Bsize%5D=2'),
    }),
    async countWebhooks(url) {
      const { data } = await read(webhooksSchema, `/webhooks?page[size]=${PAGE_SIZE}`);
      return data.filter((webhook) => webhook.url === url).length;
    },
    stranger: { tokens: { accessToken: async () => 'wrong' } },
  };
}

const NOT_RECEIVED = 'No webhook arrived: --listen PORT --callback-url URL';

/** The members of webhook bodies, by name. */
export function observeBodies({ subject }: CheckRun): Observation {
  const bodies = (subject.received ?? []).map(
    ({ body }) => z.record(z.string(), z.unknown()).safeParse(jsonOf(body)).data,
  );
  const [body] = bodies.filter((each) => each !== undefined);
  if (body === undefined) return notTried(NOT_RECEIVED);
  const seen = `Members: ${Object.keys(body).sort().join(', ')}`;
  const isKnown = ('event_name' in body || 'event_type' in body) && ('document' in body || 'data' in body);
  return isKnown ? ok(seen) : differs(seen);
}

const webhookFacts: Fact[] = [
  {
    assumed:
      'Webhooks are made with `event_name` or `event_type`, `url`, `http_method`, `auth_header` and `auth_key`',
    line: '[unconfirmed] whether one of them is refused',
    observe({ subject }) {
      const made = subject.exchanges.filter(
        ({ method, path }) => method === 'POST' && path.endsWith('/webhooks'),
      );
      if (made.length === 0) return notTried('No webhook was made');
      const statuses = `Status ${[...new Set(made.map(({ status }) => status))].join(', ')}`;
      return made.some(({ status }) => status < 300) ? ok(statuses) : differs(statuses);
    },
  },
  {
    assumed: 'Bodies of webhooks have `event_name` or `event_type`, and the record in `document` or `data`',
    observe: observeBodies,
  },
  untried('We have 10 s to answer a webhook', 'Our receiver answers at once'),
  untried('Merges send no event; the loser is gone', 'By hand: no operation merges contacts'),
];

const recordFacts = (options: Options): Fact[] => [
  untried(
    `Lists of tasks end after ${MAX_LISTED} records`,
    'The account has fewer',
    '[unconfirmed] for tasks',
  ),
  {
    assumed: 'Times in filters are in UTC',
    line: '[unconfirmed] They are in UTC',
    observe: ({ found }) =>
      found.hasFoundDeal
        ? ok('A new deal is in the list of the minute of its creation, in UTC')
        : differs('A new deal was not found in the list of the minute of its creation'),
  },
  {
    assumed: 'Phone numbers may need a type; we send `mobile` for new ones',
    line: '[unconfirmed] whether one is required',
    async observe({ created, subject }) {
      const name = `${subject.prefix} phone`;
      let status = 0;
      await created
        .createBy('lead', name, async () => {
          const data = { name, phones: [{ phone: '+55 11 98765-4321' }] };
          const response = await createRequest(options)('POST', '/contacts', data);
          status = response.status;
          return createdSchema.parse(response.body).data.id;
        })
        .catch((error: unknown) => {
          if (status < 400) throw error;
          created.forget('lead', name);
        });
      return ok(
        `Status ${status} for a number without a type: ${status < 300 ? 'not required' : 'required'}`,
      );
    },
  },
  {
    assumed: `Custom fields with numbers have the type ${NUMBERS.map((type) => `\`${type}\``).join(' or ')}`,
    line: '[unconfirmed] The documents name no type',
    async observe() {
      const { body } = await createRequest(options)('GET', `/custom_fields?page[size]=${PAGE_SIZE}`);
      const types = [...new Set(fieldsSchema.parse(body).data.map(({ type }) => type))].sort();
      const seen = `Types of the account: ${types.join(', ') || 'none'}`;
      return types.some((type) => NUMBERS.includes(type))
        ? ok(seen)
        : notTried(`${seen}; add a field with numbers`);
    },
  },
  {
    assumed: 'The account is known by its first user: users have ids of MongoDB and a time of creation',
    line: '[unconfirmed] No operation returns',
    async observe({ found }) {
      const { vendorId } = needed(found.inspection, 'an inspected account');
      const { body } = await createRequest(options)('GET', `/users?page[size]=${PAGE_SIZE}`);
      const users = usersSchema.parse(body).data;
      const isKnown = users.every(({ id, created_at: at }) => /^[0-9a-f]{24}$/.test(id) && at);
      const seen = `The first of ${users.length} users is ${vendorId}`;
      return isKnown ? ok(seen) : differs(`${seen}; some have another id or no time`);
    },
  },
  {
    assumed: 'No operation deletes contacts, deals and tasks: the documents name none',
    observe({ subject }) {
      const deletions = subject.exchanges.filter(
        ({ method, path }) => method === 'DELETE' && /\/(contacts|deals|tasks)\//.test(path),
      );
      if (deletions.length === 0) return notTried('Nothing was deleted');
      const seen = `Status ${[...new Set(deletions.map(({ status }) => status))].join(', ')} for DELETE`;
      return deletions.some(({ status }) => status < 300) ? differs(seen) : ok(seen);
    },
  },
];

export const rdStationFacts = (options: Options): Fact[] => [...webhookFacts, ...recordFacts(options)];
