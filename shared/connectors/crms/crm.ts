// What Placar knows of a CRM. A CRM is a folder here: `index.ts` with its definition, and an adapter that says how its lists, reads,
// writes, webhooks and proofs look. The rules of synchronization are in `../sync/` and `database/connectors/`, and know no CRM.
import type { Logger } from '../../platform/logger.ts';
import type { CrmHttp, Pacing } from './crm-http.ts';

/** Kinds of records, by the name of ours. */
export type RecordKind = 'lead' | 'deal' | 'activity';
/** Kinds of records that can also be written in the CRM. */
export type WritableKind = 'lead' | 'deal';

/** Values of mapped custom fields by the CRM's key: numbers, ISO dates, texts, labels of options, and lists of labels. */
export type CustomValues = Record<string, CustomValue>;
export type CustomValue = string | number | boolean | null | string[];

/** A contact or person. Texts are trimmed; empty ones are null. */
export interface LeadValues {
  name: string | null;
  /** The first address. */
  email: string | null;
  /** The first number, as the CRM shows it. */
  phone: string | null;
  /** Name of the organization. Never written in the CRM. */
  company: string | null;
  /** Job title. */
  position: string | null;
  /** Id of the owner in the CRM; null if it has no owner. Absent if contacts of the CRM have no owners: the lead keeps its own. */
  owner?: string | null | undefined;
  custom: CustomValues;
}

/** A deal. */
export interface DealValues {
  name: string | null;
  /** In major units, such as 1250.5; null if the CRM has none, `NaN` if it has what is no number. */
  value: number | null;
  /** ISO 4217; null if the CRM has none. */
  currency: string | null;
  /** Id of the stage in the CRM. Null if the CRM does not say in which stage a closed deal was: the deal keeps its stage. */
  stage: string | null;
  status: 'open' | 'won' | 'lost';
  /** Id of the owner in the CRM. */
  owner?: string | null | undefined;
  /** Id of the first linked contact in the CRM. */
  contact: string | null;
  /** `YYYY-MM-DD`. Absent if the CRM does not say what was expected of a closed deal: the deal keeps its own. */
  expectedCloseDate?: string | null | undefined;
  /** Null unless lost. */
  lossReason: string | null;
  custom: CustomValues;
}

interface Listed {
  /** Id in the CRM, as text: ids above 2^53 keep their digits. */
  id: string;
  /** When it last changed, by the CRM's clock: ISO 8601 in UTC. */
  updatedAt: string;
}

export interface CrmLead extends Listed {
  values: LeadValues;
}

export interface CrmDeal extends Listed {
  values: DealValues;
  /** Id of its pipeline. */
  pipeline: string | null;
  /** When it was won or lost, ISO 8601; null while open or unknown. */
  closedAt: string | null;
}

/** A call, meeting, task or similar. `id` is whatever `read` and hints need; it may include the type. */
export interface CrmActivity extends Listed {
  /** As admins map it to a code: `call`, `meetings`, `task:email`. */
  type: string;
  /** Id that is unique among activities of this type, for `external_id`. */
  number: string;
  isDone: boolean;
  /** When it was done, ISO 8601. Null if it is not done or the CRM does not say. */
  doneAt: string | null;
  /** Id of the owner in the CRM. */
  owner: string | null;
}

export interface CrmRecords {
  lead: CrmLead;
  deal: CrmDeal;
  activity: CrmActivity;
}

export interface CrmValues {
  lead: LeadValues;
  deal: DealValues;
}

export interface Page<T> {
  records: T[];
  /** Continues after this page, also in another worker and after a kill. Null after the last one. At most 100 000 characters. */
  next: string | null;
}

/** What a list returns. */
export interface ListOptions {
  /** Only records that changed at or after this time, ISO 8601. Null: all that exist. */
  since: string | null;
  /** `next` of the page before; null for the first page. */
  cursor: string | null;
}

/** A user or owner, also deactivated ones. Those without an address are left out; of several with one, records are given to the first. */
export interface CrmUser {
  id: string;
  email: string;
  name: string | null;
}

export interface CrmStage {
  id: string;
  name: string;
  pipeline: string;
  pipelineName: string;
  /** What a deal in this stage is. */
  closes: 'won' | 'lost' | null;
}

export interface Inspection {
  /** Id of the company, portal or account at the CRM, so that two tenants cannot connect the same one. */
  vendorId: string;
  users: CrmUser[];
  stages: CrmStage[];
  /** The types of activities that the account has, as far as the CRM lists them, as `CrmActivity.type`. */
  activityTypes: string[];
  /** Whether time was over before the stages of all pipelines were read. */
  isPartial?: boolean;
}

export interface InspectionOrder {
  /** Is called with the company's id as soon as it is known. Throws if nothing more may be read. */
  claim(vendorId: string): Promise<void>;
  /** How far earlier inspections came, for CRMs that need a request for each pipeline. Ids of pipelines whose stages need not be read again. */
  readPipelines: readonly string[];
  hasTime(): boolean;
}

/** Webhooks of an account: registered, set up by a person in the CRM, or impossible, so that changes are polled. */
export interface WebhookReport {
  state: 'active' | 'by_hand' | 'polling';
  /** What `ensureWebhooks` and `removeWebhooks` need later, such as ids; at most 2000 characters. */
  reference: string | null;
  /** With `by_hand`: the text of the file or the steps with which a person sets them up. */
  setup?: string;
}

export interface WebhookOrder {
  /** Where the CRM sends webhooks. */
  url: string;
  /** What proves them; each account has its own. 43 letters and digits, so that the request log hides it. */
  secret: string;
  /** `reference` of the last report; null before the first. */
  reference: string | null;
}

export interface DealSearch {
  name: string;
  /** ISO 8601, both inclusive. */
  from: string;
  until: string;
}

export type FoundDeal = { id: string } & Pick<DealValues, 'name' | 'value'>;

/** A connected account of a CRM. All methods throw the errors of `errors.ts`. */
export interface CrmConnection {
  inspect(order?: InspectionOrder): Promise<Inspection>;
  /**
   * A page of records, the oldest change first if the CRM sorts by it. Records that change while pages are read may be listed again, but none may be left out,
   * and none is listed twice without a change. Lists of activities contain those that are done, of the mapped types.
   */
  list<K extends RecordKind>(kind: K, options: ListOptions): Promise<Page<CrmRecords[K]>>;
  /** The records with these ids (at most 100) that exist. Deleted ones, also in the CRM's trash, and merged ones are absent. */
  read<K extends RecordKind>(kind: K, ids: readonly string[]): Promise<CrmRecords[K][]>;
  /** Writes only the members given. Returns the record as the CRM has it afterwards. */
  update<K extends WritableKind>(kind: K, id: string, change: Partial<CrmValues[K]>): Promise<CrmRecords[K]>;
  /** Like `update`. A CRM that cannot create closed deals creates an open one, which is then updated. */
  create<K extends WritableKind>(kind: K, values: Partial<CrmValues[K]>): Promise<CrmRecords[K]>;
  /** Ids of the contacts with this address, which is in lower case, also of those that were just created. */
  findLeads(email: string): Promise<string[]>;
  /** The deals that were created between two times, also just now. Those of other names may be left out. */
  findDeals(search: DealSearch): Promise<FoundDeal[]>;
  /** Registers our webhooks if they are missing or incomplete, also those that vanished in the CRM. */
  ensureWebhooks(order: WebhookOrder): Promise<WebhookReport>;
  /** Removes them. Those that are gone are no error. */
  removeWebhooks(order: WebhookOrder): Promise<void>;
}

/** OAuth tokens of an account, for CRMs with refresh tokens that can be used once. */
export interface TokenStore {
  /**
   * An access token that is good for a minute, or half of its time. If there is none, one worker at a time calls `refresh` with the last refresh token,
   * and its result is stored before the access token is returned. `rejected` is one that the CRM did not accept.
   */
  accessToken(refresh: (refreshToken: string) => Promise<Tokens>, rejected?: string): Promise<string>;
}

export interface Tokens {
  accessToken: string;
  /** The next refresh token. */
  refreshToken: string;
  /** Seconds that the access token is good for. */
  expiresInSeconds: number;
}

export interface ConnectOptions {
  /** By the members of `private.crms.credentials`. */
  credentials: Readonly<Record<string, string>>;
  /** Base URLs, by the names of `CrmDefinition.addresses`. */
  addresses: Readonly<Record<string, string>>;
  /** Keys of mapped custom fields in the CRM. */
  customKeys: Readonly<Record<WritableKind, readonly string[]>>;
  /** Mapped types of activities, as `CrmActivity.type`. */
  activityTypes: readonly string[];
  /** Sends requests at the pace of the account, until the caller's time is over. */
  http: CrmHttp;
  /**
   * Sends requests for tokens, which wait longer and do not end with the caller's time: a refresh token works once, so a response that is
   * lost means that a person has to agree again. Default: `http`.
   */
  tokenHttp?: CrmHttp;
  tokens: TokenStore;
  log: Logger;
}

/** What a webhook says. The record is always read again. */
export interface Hint {
  /** The vendor's id of the event, if it has one. Equal events are ignored. */
  eventId?: string | undefined;
  /** The vendor's name of the event. */
  type: string;
  /** Undefined for events of no interest, which are only kept. */
  about?: Subject | undefined;
}

export interface Subject {
  kind: RecordKind;
  id: string;
  /** `CrmActivity.type`, if the webhook says it: what is not mapped is not read. */
  activityType?: string | undefined;
  merged?: Merge;
}

/** The record of the hint is the winner. */
export interface Merge {
  /** Ids of the records that are gone. */
  losers: readonly string[];
  /** Id of the winner before the merge, if the merge gave it another one. */
  formerId?: string;
}

export interface Delivery {
  headers: Headers;
  body: Uint8Array;
  /** The address under which we registered the webhook, with query. */
  url: string;
  /** `WebhookOrder.secret` */
  secret: string;
  credentials: Readonly<Record<string, string>>;
  nowMs: number;
}

/** The adapter of a CRM. */
export interface Crm {
  connect(options: ConnectOptions): CrmConnection;
  /** Whether the CRM sent it: compares in constant time. A secret in the path is checked by the caller. */
  isGenuine(delivery: Delivery): Promise<boolean>;
  /** What a genuine body says, which is JSON. Unknown events are hints without `about`. */
  readHints(body: unknown): Hint[];
  /** Only for CRMs whose accounts are authorized in a browser. */
  authorization?: Authorization;
}

export interface Authorization {
  /** The page on which a person agrees. */
  pageUrl(request: {
    clientId: string;
    redirectUri: string;
    state: string;
    addresses: ConnectOptions['addresses'];
  }): string;
  /** Exchanges the code that the CRM sent to `redirectUri`. */
  exchange(
    request: { code: string; redirectUri: string },
    options: Pick<ConnectOptions, 'credentials' | 'addresses' | 'http'>,
  ): Promise<Tokens>;
  /** Uses up the refresh token. Throws `CrmCredentialsRejected` if the CRM rejects it. */
  refresh(
    refreshToken: string,
    options: Pick<ConnectOptions, 'credentials' | 'addresses' | 'http'>,
  ): Promise<Tokens>;
}

/** What is known of a CRM without loading its adapter. */
export interface CrmDefinition {
  name: string;
  /** Its name in sentences. */
  title: string;
  /** Defaults of its settings in `shared/platform/env.ts`, by name; `''` for an address that depends on the account. */
  addresses: Readonly<Record<string, string>>;
  /** How many requests we send: 60 % of the vendor's limit at most, so that other programs of the company have their share. */
  pacing: Pacing;
  /** Whether the address of webhooks contains the secret, beside the proof that the vendor does not document. */
  hasSecretInAddress?: true;
  /** How many records `read` gets at once, at most 100: what it can read within ten seconds. */
  readsAtOnce: number;
  load(): Promise<Crm>;
}
