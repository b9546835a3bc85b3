/**
 * The fake of Pipedrive: API v2 of deals, persons, organizations, activities, pipelines, stages and fields, API v1 of users and webhooks,
 * and webhooks v2. The token selects the company, because `{domain}.pipedrive.com` does not exist here.
 *
 * Documented: paths, members and types, cursors, `sort_by`, archived deals in a list of their own, costs in tokens, the burst limits of 2 s,
 * 403 for a job title without contact sync, the required name of a webhook, Basic auth, `merged_to_id`, three retries.
 *
 * Observed: the body of 401, `x-daily-ratelimit-token-*`, refusal of fractions of a second in `updated_since`.
 *
 * Unconfirmed: bodies and codes of 400, 404 and 429, refusal of unknown query parameters, what reading a deleted record returns
 * (`deletedReads`), UTC as the budget's time zone, and that a merge moves references without events.
 *
 * Left out, although documented: deletion for good after 30 days, the block page, at most 40 webhooks, what was before a change, and that
 * addresses that fail are banned and removed.
 */
import { randomBytes } from 'node:crypto';
import type { FakeKit, FakeOptions, RunningFake } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import { addCompany, type CompanyOrder, crmControls, dayOf, emptyAccount } from '../account.ts';
import { startCrm, type Vendor } from '../frame.ts';
import { merge, records, refusal } from './records.ts';
import { routes } from './routes.ts';
import { type Account, type Company, type Field, type Kind, type Options, SINGULAR } from './state.ts';

export interface AccountOrder extends CompanyOrder {
  domain?: string;
  options?: Partial<Options>;
}

const DEFAULTS: Options = { burst: 20, daily: 30_000, deletedReads: 'marked', contactSync: true };
const token = (): string => randomBytes(20).toString('hex');
// The keys of a constant have its type.
const kinds = Object.keys(SINGULAR) as Kind[];

function controls(kit: FakeKit<Account>, desk: (id: string) => Company) {
  return {
    ...crmControls(desk, records, (row) => row),
    createAccount(order: AccountOrder = {}) {
      const apiToken = token();
      const domain = order.domain ?? `empresa-${apiToken.slice(0, 6)}`;
      const id = String(10_000_000 + Number.parseInt(apiToken.slice(0, 5), 16));
      kit.state.accounts[id] = {
        ...emptyAccount(id, kinds, { ...DEFAULTS, ...order.options }),
        ...{ domain, apiToken, fields: { deals: [], persons: [] } },
      };
      addCompany(records(desk(id)), order, 'order_nr');
      return { id, domain, apiToken };
    },
    merge: (id: string, kind: 'persons' | 'deals', winner: number, loser: number) =>
      merge(desk(id), kind, winner, loser),
    /** Marks an activity as done or undone. */
    setDone: (id: string, activity: number, done: boolean) =>
      records(desk(id)).change('activities', activity, { done }),
    /** Adds a custom field. Returns it with its key and the ids of its options. */
    addField(
      id: string,
      kind: keyof Account['fields'],
      order: Pick<Field, 'name' | 'type'>,
      labels: string[] = [],
    ): Field {
      const options = labels.map((label) => ({ id: kit.nextNumber(), label }));
      const field = { ...order, key: token(), options };
      desk(id).account.fields[kind].push(field);
      return field;
    },
    /** Uses up tokens of the day's budget, as other programs do. Default: all. */
    useBudget(id: string, tokens?: number) {
      const { account } = desk(id);
      account.used = { day: dayOf(kit.clock.now()), amount: tokens ?? account.options.daily };
    },
    /** Replaces the token, as a person does. Returns the new one. */
    replaceToken: (id: string): string => Object.assign(desk(id).account, { apiToken: token() }).apiToken,
  };
}

/** Tokens of a request. Version 1 costs twice as many. */
function costOf(method: string, path: string): number {
  const isOne = /\/(\d+|me)$/.test(path);
  const read = path.endsWith('/search') ? 20 : isOne ? 1 : /\/(pipelines|stages)$/.test(path) ? 5 : 10;
  const cost = method === 'GET' ? read : method === 'DELETE' ? 3 : 5;
  return path.startsWith('/api/v1/') ? cost * 2 : cost;
}

const BURST_MS = 2000;
const TOKENS = 'x-daily-ratelimit-token';
const unauthorized = { success: false, error: 'unauthorized access', errorCode: 401 };

const vendor: Vendor<Account, ReturnType<typeof controls>> = {
  ...{ name: 'pipedrive', base: '/api', routes, controls, costOf },
  isOwner: ({ apiToken }, headers) => apiToken === headers.get('x-api-token'),
  refusal: (status, words) =>
    status === 401 ? new VendorError(status, unauthorized) : refusal(status, words),
  tooMany: (_, __, headers) => new VendorError(429, refusal(429, 'request over limit').body, headers),
  limits: ({ burst }, path) => [
    ...(path.endsWith('/search') ? [{ name: 'search', most: 10, windowMs: BURST_MS }] : []),
    { name: 'all', most: burst, windowMs: BURST_MS },
  ],
  dailyHeaders: (_, limit, left) => ({ [`${TOKENS}-limit`]: `${limit}`, [`${TOKENS}-remaining`]: `${left}` }),
  webhooks: {
    timeoutMs: 10_000,
    retriesSeconds: [3, 30, 150],
    urlOf: ({ subscription_url: url }) => url,
    proof: (_, { http_auth_user: user, http_auth_password: password }) => ({
      authorization: `Basic ${btoa(`${user}:${password}`)}`,
    }),
  },
};

type PipedriveControls = ReturnType<typeof controls>;
export type Pipedrive = RunningFake<PipedriveControls>;

/** Create companies with `control.createAccount`. */
export const startPipedrive = (options?: FakeOptions): Promise<Pipedrive> => startCrm(vendor, options);
