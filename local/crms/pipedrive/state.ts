/** State of a company at the fake of Pipedrive, and what its API accepts. */
import { z } from 'zod';
import { members } from '../members.ts';
import type { Row } from '../shared.ts';

export const SINGULAR = {
  ...{ deals: 'deal', persons: 'person', organizations: 'organization', activities: 'activity' },
  ...{ pipelines: 'pipeline', stages: 'stage', users: 'user' },
};
export type Kind = keyof typeof SINGULAR;
export type PipedriveRow = Row & { id: number };

export interface Field {
  key: string;
  name: string;
  type: 'varchar' | 'text' | 'double' | 'monetary' | 'date' | 'enum' | 'set';
  options: { id: number; label: string }[];
}

export interface Webhook {
  id: number;
  /** As registered. */
  order: Row & { subscription_url: string; event_action: string; event_object: string };
  addTime: string;
  /** Start of the failures since the last delivery. */
  failingSinceMs: number | null;
  /** Failed first attempts since the last ban. */
  banScore: number;
  bannedUntilMs: number;
}

export interface Options {
  /** Requests per 2 s and token. Lite has 20, Growth 40, Premium 100, Ultimate 120. */
  burst: number;
  /** Tokens per day and company. */
  daily: number;
  /** What reading a deleted record returns within 30 days: the record with `is_deleted`, or 404. */
  deletedReads: 'marked' | 'gone';
  /** Whether persons have a job title. Without it, writing one is 403. */
  contactSync: boolean;
}

export interface Account {
  /** The company's id. */
  id: string;
  domain: string;
  apiToken: string;
  options: Options;
  used: { day: string; tokens: number };
  rows: Record<Kind, PipedriveRow[]>;
  fields: Record<'deals' | 'persons', Field[]>;
  webhooks: Webhook[];
}

const Contacts = z.array(members('value:text! primary:bool label:text')).optional();
const Participants = z.array(members('person_id:id! primary:bool')).optional();
const COMMON = 'owner_id:id visible_to:id label_ids:ids custom_fields:map';

/** Writable members by kind. The first is required at creation. Texts are not converted to numbers. */
export const BODIES: Partial<Record<Kind, z.ZodObject>> = {
  deals: members(
    `title:name ${COMMON} org_id:id? person_id:id? pipeline_id:id stage_id:id value:number? currency:currency
    is_archived:bool status:open|won|lost probability:number? lost_reason:text? won_time:time? lost_time:time?
    close_time:time? expected_close_date:day?`,
  ),
  persons: members(`name:name ${COMMON} org_id:id? job_title:text?`, { emails: Contacts, phones: Contacts }),
  organizations: members(`name:name ${COMMON}`),
  activities: members(
    'subject:name type:name owner_id:id org_id:id? deal_id:id? due_date:day? due_time:text? note:text? done:bool',
    { participants: Participants },
  ),
};

const PAGED = 'limit:<=500 cursor:text sort_direction:asc|desc';
const SORTED = `${PAGED} sort_by:id|update_time|add_time`;
const CHANGED = 'updated_since:second ids:text';

/** Parameters of lists by kind. */
export const QUERIES: Partial<Record<Kind, z.ZodObject>> = {
  deals: members(`${SORTED} ${CHANGED} custom_fields:text`, {
    status: z
      .string()
      .regex(/^(open|won|lost|deleted)(,(open|won|lost|deleted))*$/)
      .optional(),
  }),
  persons: members(`${SORTED} ${CHANGED} custom_fields:text`),
  organizations: members(`${SORTED} ${CHANGED} custom_fields:text`),
  activities: members(`${PAGED} ${CHANGED} done:flag sort_by:id|update_time|add_time|due_date`),
  pipelines: members(SORTED),
  stages: members(`${PAGED} sort_by:id|update_time|add_time|order_nr`),
};

export const SEARCH = members('term:text! fields:text exact_match:flag limit:<=100 cursor:text');
