/** Pipedrive: requests that its adapter does not make, and what is unconfirmed about it. */
import { z } from 'zod';
import type { ConnectOptions } from '../../../../shared/connectors/crms/crm.ts';
import type { CrmRequest } from '../../../../shared/connectors/crms/crm-http.ts';
import { CrmUnreachable } from '../../../../shared/connectors/crms/errors.ts';
import { PAGE_SIZE, paths, TOKEN_HEADER } from '../../../../shared/connectors/crms/pipedrive/facts.ts';
import { differs, type Fact, notTried, ok, retryAfterOfLimits, untried } from '../facts.ts';
import { MANY_CONTACTS, type VendorTools } from '../subject.ts';

const pageSchema = z.object({
  data: z.array(z.object({ update_time: z.string().nullish() })).nullish(),
  additional_data: z.object({ next_cursor: z.string().nullish() }).nullish(),
});
const createdSchema = z.object({
  data: z.object({ id: z.union([z.number(), z.string()]).transform(String) }),
});
const webhooksSchema = z.object({ data: z.array(z.object({ subscription_url: z.string() })).nullish() });

type Options = Pick<ConnectOptions, 'credentials' | 'addresses' | 'http'>;

function createRequest({ credentials, addresses, http }: Options) {
  const origin = addresses.PIPEDRIVE_URL || `https://${credentials.domain}.pipedrive.com`;
  return async (method: CrmRequest['method'], path: string, body?: unknown) => {
    const headers = { [TOKEN_HEADER]: credentials.api_token ?? '' };
    const response = await http({
      method,
      url: `${origin}${path}`,
      headers,
      ...(body !== undefined && { body }),
    });
    if (response.status >= 300 && response.status !== 404)
      throw new CrmUnreachable(`Pipedrive ${method} ${path}: status ${response.status}`);
    return response;
  };
}

export function pipedriveTools(options: Options): VendorTools {
  const request = createRequest(options);
  return {
    async hasManyContacts() {
      const { body } = await request('GET', `${paths.lead}?limit=${MANY_CONTACTS}`);
      return Boolean(pageSchema.parse(body).additional_data?.next_cursor);
    },
    async remove(kind, id) {
      await request('DELETE', `${paths[kind]}/${encodeURIComponent(id)}`);
    },
    async createActivity(subject, type, dealId) {
      const values = { subject, type, deal_id: Number(dealId), done: false };
      return createdSchema.parse((await request('POST', paths.activity, values)).body).data.id;
    },
    async setDone(id) {
      await request('PATCH', `${paths.activity}/${id}`, { done: true });
    },
    activityType: 'call',
    lossReason: async () => 'Placar check',
    withSmallPages: (each) => ({ ...each, url: each.url.replace(`limit=${PAGE_SIZE}`, 'limit=2') }),
    async countWebhooks(url) {
      const { data } = webhooksSchema.parse((await request('GET', paths.webhooks)).body);
      return (data ?? []).filter(({ subscription_url: address }) => address === url).length;
    },
    stranger: { credentials: { domain: options.credentials.domain ?? '', api_token: '0'.repeat(40) } },
  };
}

/** Whether records without a time of change are at the start of a list that is sorted by it. */
export function observeOrder(times: readonly (string | null | undefined)[]) {
  const count = times.filter((time) => !time).length;
  if (count === 0) return notTried(`All of the first ${times.length} contacts have a time of change`);
  const areFirst = times.slice(0, count).every((time) => !time);
  return areFirst
    ? ok(`${count} contacts without one, before all others`)
    : differs('They come after others');
}

export const pipedriveFacts = (options: Options): Fact[] => [
  retryAfterOfLimits('`Retry-After` of a response with status 429'),
  untried(
    'A response with status 429 whose body contains `daily` means that the budget of the day is used up',
    'The budget is not used up on purpose',
    "a message about the day's budget",
  ),
  {
    assumed: 'Lists sorted by `update_time` begin with records that have none',
    line: 'records without one come first',
    async observe() {
      const query = `limit=${PAGE_SIZE}&sort_by=update_time&sort_direction=asc`;
      const { body } = await createRequest(options)('GET', `${paths.lead}?${query}`);
      return observeOrder((pageSchema.parse(body).data ?? []).map(({ update_time: time }) => time));
    },
  },
];
