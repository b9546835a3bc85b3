/** State of a company at the fake of Pipedrive, and what its API accepts. Pipedrive accepts more, which is refused here. */
import { z } from 'zod';
import { members } from '../members.ts';
import type { CrmAccount, Desk, Row } from '../records.ts';

export const SINGULAR = {
  ...{ deals: 'deal', persons: 'person', organizations: 'organization', activities: 'activity' },
  ...{ pipelines: 'pipeline', stages: 'stage', users: 'user' },
};
export type Kind = keyof typeof SINGULAR;
export type PipedriveRow = Row & { id: number; custom_fields?: Row; emails?: Row[]; phones?: Row[] };

export interface Field {
  key: string;
  name: string;
  type: 'varchar' | 'double' | 'monetary' | 'enum' | 'set';
  options: { id: number; label: string }[];
}

export interface Options {
  /** Requests per 2 s and token. Lite has 20, Growth 40, Premium 100, Ultimate 120. */
  burst: number;
  /** Tokens per day and company. */
  daily: number;
  /** What reading a deleted record returns: the record with `is_deleted`, or 404. */
  deletedReads: 'marked' | 'gone';
  /** Whether persons have a job title. Without it, writing one is 403. */
  contactSync: boolean;
}

export interface Account extends CrmAccount<Kind, PipedriveRow, Options> {
  domain: string;
  apiToken: string;
  fields: Record<'deals' | 'persons', Field[]>;
}
export type Company = Desk<Account>;

const Details = z.array(members('value:text! primary:bool label:text')).optional();

/** Writable members by kind. Texts are not converted to numbers. */
export const BODIES: Partial<Record<Kind, z.ZodObject>> = {
  deals: members(
    `title:name! value:number currency:currency stage_id:id status:open|won|lost lost_reason:text? owner_id:id person_id:id?
    expected_close_date:day? custom_fields:map`,
  ),
  persons: members('name:name! job_title:text? owner_id:id custom_fields:map', {
    ...{ emails: Details, phones: Details },
  }),
  activities: members('subject:name! type:name deal_id:id done:bool'),
};

export const LIST = members(
  'limit:<=500 cursor:text sort_by:id|update_time sort_direction:asc updated_since:second ids:text done:true|false',
);
export const SEARCH = members('term:name! fields:email! exact_match:true!');
export const WEBHOOK = members(
  `name:name! subscription_url:url! event_action:create|change|delete|*! version:2.0
  event_object:activity|deal|organization|person|pipeline|stage|user|*! http_auth_user:text! http_auth_password:text!`,
);
