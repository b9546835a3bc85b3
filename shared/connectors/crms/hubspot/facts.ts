// What HubSpot's API looks like. [D] is documented or in HubSpot's OpenAPI files of 2026-09
// (github.com/HubSpot/HubSpot-public-api-spec-collection), [O] is observed in public programs, [U] is unconfirmed.
import type { RecordKind } from '../crm.ts';

/** Types of activities, which are also the names of their objects in paths [D]. */
export const ACTIVITY_OBJECTS = ['calls', 'meetings', 'emails', 'tasks'] as const;
export type ObjectName = 'contacts' | 'deals' | (typeof ACTIVITY_OBJECTS)[number];

/** Paths below the base URL [D]. */
export const pathsOf = (version: string) => ({
  /** The first that exists. The others are those of earlier versions [D]. */
  accounts: [`/account-info/${version}/details`, '/account-info/v3/details', '/integrations/v1/me'],
  owners: `/crm/owners/${version}`,
  pipelines: `/crm/pipelines/${version}/deals`,
  properties: { lead: `/crm/properties/${version}/contacts`, deal: `/crm/properties/${version}/deals` },
  records: (object: ObjectName) => `/crm/objects/${version}/${object}`,
  contactsOfDeals: `/crm/associations/${version}/deals/contacts/batch/read`,
  linkContact: (deal: string, contact: string) =>
    `/crm/objects/${version}/deals/${deal}/associations/default/contacts/${contact}`,
  unlinkContact: (deal: string, contact: string) =>
    `/crm/objects/${version}/deals/${deal}/associations/contacts/${contact}`,
});

const describe = (kind: RecordKind, typeId: string, subject: string, properties: string) => ({
  kind,
  /** In webhooks [D]. */
  typeId,
  /** In subscriptions and legacy events: [D] for contacts and deals; HubSpot lists the others in upper case [U]. */
  subject,
  /** Property with the time of the last change, in milliseconds [D]. */
  modifiedAt: kind === 'lead' ? 'lastmodifieddate' : 'hs_lastmodifieddate',
  /** Properties that are always read, and subscribed to [D]. */
  properties: ['hubspot_owner_id', ...properties.split(' ')],
});

export const OBJECTS = {
  contacts: describe('lead', '0-1', 'contact', 'firstname lastname email phone company jobtitle'),
  deals: describe(
    'deal',
    '0-3',
    'deal',
    // A change of `num_associated_contacts` follows each link and also changes `hs_lastmodifieddate` [O].
    'dealname amount deal_currency_code dealstage pipeline closedate closed_lost_reason num_associated_contacts',
  ),
  calls: describe('activity', '0-48', 'call', 'hs_timestamp'),
  meetings: describe('activity', '0-47', 'meeting_event', 'hs_timestamp'),
  emails: describe('activity', '0-49', 'email', 'hs_timestamp'),
  tasks: describe('activity', '0-27', 'task', 'hs_timestamp hs_task_status hs_task_completion_date'),
} satisfies Record<ObjectName, ReturnType<typeof describe>>;
export const OBJECT_NAMES: readonly ObjectName[] = ['contacts', 'deals', ...ACTIVITY_OBJECTS];

/** `hs_task_status` of tasks that are done [D]. */
export const TASK_DONE = 'COMPLETED';

export const LIMITS = {
  /** Largest page of a search [D]. Only its first 10 000 results can be read [D]; ours continue from the last time instead. */
  searchPage: 200,
  /** 60 % of four searches a second [D; five now: U]. */
  searchIntervalMs: 417,
  /** Records of a batch read [D]. Associations may allow 1000 [U]. */
  batch: 100,
  /** Owners on a page: the default [D]. */
  ownerPage: 100,
  /** Age after which a signature is invalid [D]. */
  signatureAgeMs: 5 * 60_000,
  /** Must be above 5 [D]. HubSpot's template has 10. */
  concurrentDeliveries: 10,
} as const;

/** Category of a batch's error about records that do not exist, or have no association [O]. */
export const NOT_FOUND_CATEGORY = 'OBJECT_NOT_FOUND';
/** The record is locked, or HubSpot is moving the account to another data center [D]. */
export const BUSY_STATUSES: readonly number[] = [423, 477];
/** Seconds after which to try again if there is no `Retry-After`, as for 423 [D]. */
export const BUSY_SECONDS = 2;

/** 250 000 requests on the smallest plan [D]. The day begins at midnight in the account's time zone, which is not known here [D]. */
export const DAY_HEADERS = {
  limit: 'x-hubspot-ratelimit-daily',
  left: 'x-hubspot-ratelimit-daily-remaining',
};

/** Association that links a new deal to a contact [D]. */
export const DEAL_TO_CONTACT = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 3 } as const;

/** Escapes that HubSpot decodes in the URI that it signs [D]. Whether it decodes others is unconfirmed. */
export const DECODED_WHEN_SIGNED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;
