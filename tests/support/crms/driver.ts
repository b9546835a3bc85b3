/** What a person does in a CRM, for tests that are the same for all CRMs. */
import type { FaultOrder } from '../../../local/fakes/faults.ts';
import type { LoggedRequest, RequestFilter } from '../../../local/fakes/request-log.ts';

export interface Contact {
  name: string;
  /** Null if the contact has no address. */
  email: string | null;
  phone?: string;
  position?: string;
}

export interface Deal {
  name: string;
  value: number;
  /** Name of the stage. Default: the first one. */
  stage?: string;
  /** Id of the contact. */
  contact?: string;
  /** Address of the owner. Default: the first user. */
  owner?: string;
}

export type Closing = { status: 'won' } | { status: 'lost'; reason: string } | { status: 'open' };
export type Kind = 'lead' | 'deal' | 'activity';

/** One account at a fake. All ids are texts. */
export interface CrmSide {
  addContacts(contacts: Contact[], isSilent?: boolean): Promise<string[]>;
  addDeals(deals: Deal[], isSilent?: boolean): Promise<string[]>;
  changeContact(id: string, change: { name?: string; phone?: string; position?: string }): Promise<void>;
  changeDeal(id: string, change: { name?: string; value?: number; stage?: string }): Promise<void>;
  close(id: string, closing: Closing): Promise<void>;
  contact(id: string): Promise<{ name: string | null; email: string | null; phone: string | null }>;
  deal(id: string): Promise<{ name: string; value: number; status: string; stage: string | undefined }>;
  /** Records that are not deleted. */
  count(kind: 'lead' | 'deal'): Promise<number>;
  remove(kind: Kind, id: string): Promise<void>;
  restore(kind: 'lead' | 'deal', id: string): Promise<void>;
  merge(winner: string, loser: string): Promise<void>;
  /** A call, task or similar of {@link CrmDriver.activityType}. Returns its id. */
  addActivity(owner: string, isDone: boolean): Promise<string>;
  setDone(id: string, isDone: boolean): Promise<void>;
  webhookCount(): Promise<number>;
  dropWebhooks(): Promise<void>;
  /** All webhooks of the account are lost from now on. */
  loseWebhooks(): Promise<void>;
  fault(order: FaultOrder): Promise<void>;
  requests(filter?: RequestFilter): Promise<LoggedRequest[]>;
  forgetRequests(): Promise<void>;
}

export interface VendorAccount {
  /** Id of the account at the fake. */
  vendorId: string;
  /** As `admin.connect_crm` takes them. */
  credentials: Record<string, string>;
}

export interface CrmDriver {
  crm: 'rd_station' | 'pipedrive' | 'hubspot';
  /** An account with `PEOPLE` and `PIPELINE`. */
  createAccount(): Promise<VendorAccount>;
  at(vendorId: string): CrmSide;
  /** Sets webhooks up by hand. Undefined if the connector registers them. */
  setUpWebhooks?(vendorId: string, setup: string): Promise<unknown>;
  /** Type of the activities that `addActivity` adds, for `admin.map_crm_activity`. */
  activityType: string;
  /** Whether the CRM tells about merges. */
  tellsMerges: boolean;
  /** Whether two contacts can have the same address. */
  allowsSameEmail: boolean;
  /** The request that creates or changes a contact, for faults. */
  writes: { create: RequestFilter; update: RequestFilter };
  /** A request that lists contacts, for faults. */
  listsContacts: RequestFilter;
  /** Whether a request writes a record. */
  isWrite(request: LoggedRequest): boolean;
  /** Members of our leads that the CRM has and this driver changes. */
  webhookProof: 'basic' | 'path' | 'signature';
}

/** The only value of a list. */
export function only<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('the list is empty');
  return one;
}
