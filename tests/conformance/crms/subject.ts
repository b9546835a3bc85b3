/** An account of a CRM under test: its adapter, requests that the adapter does not make, and what was exchanged. */
import type { ConnectOptions, Crm, CrmConnection, CustomValue } from '../../../shared/connectors/crms/crm.ts';
import type { CrmHttp, CrmRequest } from '../../../shared/connectors/crms/crm-http.ts';
import { CrmBusy, CrmCredentialsRejected } from '../../../shared/connectors/crms/errors.ts';
import type { Fact } from './facts.ts';

export type Outcome = 'ok' | 'differs' | 'could not be tried';

/** Why something could not be tried. */
export class NotTried extends Error {
  override readonly name = 'NotTried';
}

/** The value, or `NotTried` if an earlier check did not provide it. */
export function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new NotTried(`needs ${what}`);
  return value;
}

export type RecordName = 'lead' | 'deal' | 'activity';

/** Requests of people and other programs, which adapters do not make. */
export interface VendorTools {
  /** Whether the account has more contacts than `MANY_CONTACTS`. */
  hasManyContacts(): Promise<boolean>;
  /** Deletes a record by the adapter's id. One that is gone is no error. Throws `NotTried` if the API cannot delete. */
  remove(kind: RecordName, id: string): Promise<void>;
  /** An activity that is not done. Returns the adapter's id of it. */
  createActivity(name: string, type: string, dealId: string): Promise<string>;
  setDone(id: string): Promise<void>;
  /** A type of activities that can be undone, as `CrmActivity.type`. */
  activityType: string;
  /** A loss reason that a deal may have; null if the account has none. */
  lossReason(): Promise<string | null>;
  /** The same request for pages of two records. */
  withSmallPages(request: CrmRequest): CrmRequest;
  /** How many webhooks lead to this address. Undefined if the API does not list them. */
  countWebhooks?(url: string): Promise<number>;
  /** Makes a connection whose credentials are wrong. */
  stranger: Partial<ConnectOptions>;
}

export const MANY_CONTACTS = 500;

/** A request and its response. */
export interface Exchange {
  method: string;
  path: string;
  status: number;
  hasRetryAfter: boolean;
}

export interface ReceivedWebhook {
  headers: Headers;
  body: Uint8Array;
}

export interface MappedField {
  key: string;
  value: CustomValue;
}

export interface Subject {
  /** `pipedrive` */
  name: string;
  title: string;
  crm: Crm;
  /** What another worker would have. */
  connect(changes?: Partial<ConnectOptions>): CrmConnection;
  http: CrmHttp;
  credentials: ConnectOptions['credentials'];
  tools: VendorTools;
  facts: readonly Fact[];
  fields: Partial<Record<'lead' | 'deal', MappedField>>;
  exchanges: readonly Exchange[];
  /** Where webhooks lead. */
  webhookUrl: string;
  /** Webhooks that arrived. Undefined if nothing receives them. */
  received: readonly ReceivedWebhook[] | undefined;
  /** Begins the name of everything that is created. */
  prefix: string;
  /** Lets this time pass at the CRM. */
  later(ms: number): Promise<void>;
  /** Ends requests and waits. */
  until: AbortSignal;
}

/** Also records requests and their responses, and sends none after an abort. Requests without a response are left out. */
export function recording(http: CrmHttp, exchanges: Exchange[], until: () => AbortSignal): CrmHttp {
  return async (request) => {
    until().throwIfAborted();
    const { method, url } = request;
    const record = (status: number, headers: Headers) => {
      const hasRetryAfter = headers.has('retry-after');
      exchanges.push({ method, path: new URL(url).pathname, status, hasRetryAfter });
    };
    try {
      const response = await http(request);
      record(response.status, response.headers);
      return response;
    } catch (error) {
      const isAnswered = error instanceof CrmBusy || error instanceof CrmCredentialsRejected;
      if (isAnswered && error.response) record(error.response.status, error.response.headers);
      throw error;
    }
  };
}
