/** State of an account of the fake of RD Station CRM, and what its API accepts. */
import { z } from 'zod';
import { members } from '../members.ts';
import type { Row } from '../shared.ts';

/** By kind: the name in events (none without events), and which members lists can be filtered and sorted by. */
export const LISTS = {
  contacts: {
    ...{ event: 'contact', filters: 'name job_title email phone organization_id created_at updated_at' },
    sorts: 'name created_at',
  },
  deals: {
    event: 'deal',
    filters: `id name rating status closed_at created_at updated_at expected_close_date organization_id stage_id lost_reason_id
      campaign_id owner_id pipeline_id total_price`,
    sorts: 'name rating created_at updated_at closed_at',
  },
  organizations: {
    ...{ event: 'organization', filters: 'name owner_id created_at updated_at' },
    sorts: 'name created_at updated_at',
  },
  tasks: {
    ...{ event: 'task', filters: 'deal_id type owner_ids completed_at due_date status' },
    sorts: 'due_date deal_id completed_at updated_at',
  },
  users: { event: '', filters: '', sorts: '' },
  pipelines: { event: '', filters: '', sorts: 'order' },
  stages: { event: '', filters: '', sorts: 'order' },
  lost_reasons: { event: 'lost_reason', filters: 'name', sorts: 'name created_at' },
  custom_fields: { event: '', filters: 'entity slug', sorts: 'slug order' },
};
export type Kind = keyof typeof LISTS;
export type RdRow = Row & { id: string };

export interface Webhook {
  id: string;
  order: { event_name: string; url: string; name?: string; auth_header?: string; auth_key?: string };
  status: 'active' | 'suspended';
  createdAt: string;
  /** Events in sequence that failed for good. */
  failures: number;
}

export interface Grant {
  access: string;
  accessUntilMs: number;
  refresh: string;
  refreshUntilMs: number;
}

export interface Options {
  requestsPerMinute: number;
  /** Members of webhook bodies: `event_name` and `document`, or `event_type` and `data`. */
  webhookBody: 'document' | 'data';
  /** Whether the person agrees on the authorization page. */
  agrees: boolean;
}

export interface Account {
  id: string;
  clientId: string;
  clientSecret: string;
  options: Options;
  codes: { code: string; redirectUri: string; untilMs: number }[];
  grants: Grant[];
  rows: Record<Kind, RdRow[]>;
  /** Deleted records. */
  bin: Record<Kind, RdRow[]>;
  webhooks: Webhook[];
}

const Emails = z.array(members('email:text!')).optional();
const Phones = z.array(members('phone:text! type:work|fax|home|mobile')).optional();

/** Writable members by kind. The first is required at creation. */
export const BODIES: Partial<Record<Kind, z.ZodObject>> = {
  contacts: members('name:name job_title:text? birthday:text? organization_id:text? custom_fields:map', {
    ...{ emails: Emails, phones: Phones },
    ...{ social_profiles: z.array(z.unknown()).optional(), legal_bases: z.array(z.unknown()).optional() },
  }),
  deals: members(
    `name:name recurrence_price:number one_time_price:number expected_close_date:day? rating:number pipeline_id:text stage_id:text
    status:won|lost|ongoing|paused owner_id:text? source_id:text? campaign_id:text? lost_reason_id:text? organization_id:text?
    contact_ids:texts custom_fields:map`,
  ),
  organizations: members('name:name description:text? url:text? owner_id:text? custom_fields:map'),
  tasks: members(
    `name:name description:text? type:call|email|meeting|task|lunch|visit|whatsapp status:open|completed|canceled due_date:time?
    deal_id:text? owner_ids:texts`,
  ),
};

export const WEBHOOK = members(
  'event_name:text! url:url! http_method:POST! name:text auth_header:text auth_key:text',
);
