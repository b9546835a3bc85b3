/** State of an account (portal) of the fake of HubSpot: objects, their properties, and what an app has subscribed to. */
import { members } from '../members.ts';

export interface ObjectKind {
  singular: string;
  typeId: string;
  /** The property with the time of the last change. */
  changed: string;
  /** Properties that are shown if none are asked for. */
  shown: string;
}

const kind = (
  singular: string,
  typeId: string,
  shown: string,
  changed = 'hs_lastmodifieddate',
): ObjectKind => ({
  ...{ singular, typeId, changed },
  shown: `${shown} ${changed} hs_object_id`,
});

export const KINDS = {
  contacts: kind('contact', '0-1', 'createdate email firstname lastname', 'lastmodifieddate'),
  deals: kind('deal', '0-3', 'amount closedate createdate dealname dealstage pipeline'),
  calls: kind('call', '0-48', 'hs_createdate'),
  meetings: kind('meeting_event', '0-47', 'hs_createdate'),
  emails: kind('email', '0-49', 'hs_createdate'),
  tasks: kind('task', '0-27', 'hs_createdate'),
};
export type Kind = keyof typeof KINDS;
// The keys of a constant have its type.
export const kinds = Object.keys(KINDS) as Kind[];

export interface Property {
  name: string;
  label: string;
  type: string;
  /** Values of an enumeration. */
  options: { label: string; value: string }[];
  readOnly: boolean;
}

/** `name:type`; a type that ends with `!` cannot be written, and without a type it is a string. */
const PROPERTIES: Record<Kind, string> = {
  contacts: `email:email firstname lastname phone mobilephone jobtitle company hubspot_owner_id:owner lifecyclestage
    hs_additional_emails createdate:datetime! lastmodifieddate:datetime! hs_object_id:number!`,
  deals: `dealname amount:number deal_currency_code closedate:datetime dealstage:stage pipeline:pipeline hubspot_owner_id:owner
    closed_lost_reason closed_won_reason hs_is_closed:bool! hs_is_closed_won:bool! createdate:datetime!
    hs_lastmodifieddate:datetime! hs_object_id:number!`,
  calls: 'hs_call_title hs_call_body hs_call_duration:number hs_call_status hs_call_direction',
  meetings:
    'hs_meeting_title hs_meeting_body hs_meeting_outcome hs_meeting_start_time:datetime hs_meeting_end_time:datetime',
  emails: 'hs_email_subject hs_email_text hs_email_direction hs_email_status',
  tasks: `hs_task_subject hs_task_body hs_task_status:NOT_STARTED|IN_PROGRESS|WAITING|COMPLETED|DEFERRED hs_task_type
    hs_task_priority hs_task_completion_date:datetime!`,
};
const ACTIVITY = `hs_timestamp:datetime hubspot_owner_id:owner hs_createdate:datetime! hs_lastmodifieddate:datetime!
  hs_object_id:number!`;

/** The properties of a new account. */
export const propertiesOf = (of: Kind): Property[] =>
  `${PROPERTIES[of]}${KINDS[of].shown.startsWith('hs_createdate') ? ` ${ACTIVITY}` : ''}`
    .split(/\s+/)
    .map((text) => {
      const [name = '', given = 'string'] = text.split(':');
      const type = given.replace('!', '');
      const options = type.includes('|') ? type.split('|').map((value) => ({ label: value, value })) : [];
      const readOnly = given.endsWith('!');
      return { name, label: name, type: options.length > 0 ? 'enumeration' : type, options, readOnly };
    });

export interface HubspotObject extends Record<string, unknown> {
  id: string;
  properties: Record<string, string | null>;
  createdAt: string;
  updatedAt: string;
  archived: boolean;
  /** The object that it was merged into. */
  mergedInto?: string;
}

export interface Subscription {
  id: number;
  subscriptionType: string;
  objectType: string;
  propertyName?: string | undefined;
}

export interface Options {
  per10Seconds: number;
  perDay: number;
  searchesPerSecond: number;
  /** How long searches do not see an object after its creation or change. */
  searchLagMs: number;
}

export interface Pipeline {
  id: string;
  label: string;
  stages: { id: string; label: string; metadata: { isClosed: string; probability: string } }[];
}

export interface Owner {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  archived: boolean;
}

export interface Account {
  /** The portal's id. */
  id: string;
  /** Of the app, or a service key. */
  token: string;
  /** The app's secret. A service key has none. */
  clientSecret: string | null;
  options: Options;
  used: { day: string; requests: number };
  objects: Record<Kind, HubspotObject[]>;
  properties: Record<Kind, Property[]>;
  /** `[kind, id, kind, id]`, in order of creation. */
  associations: [Kind, string, Kind, string][];
  owners: Owner[];
  pipelines: Pipeline[];
  app: { targetUrl: string; subscriptions: Subscription[] } | null;
  /** Events that wait for the next batch. */
  pending: Record<string, unknown>[];
}

export const LIST = members('limit:<=100 after:text properties:text associations:text archived:flag');
export const READ = members('properties:text associations:text archived:flag idProperty:text');

/** Association types from one kind to another. HubSpot has others, which are refused here. */
export const ASSOCIATION_TYPES: Record<string, number> = { 'deals:contacts': 3, 'contacts:deals': 4 };
