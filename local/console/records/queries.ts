// Queries for leads and deals.
import { pageOf, type View } from '../view.ts';

const MAX_CARDS = 200;

const like = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

export interface Lead {
  id: string;
  name: string;
  email: string;
  company: string | null;
  status: string;
  source: string | null;
  owner: string | null;
  tags: string[];
  created_at: Date;
}

/** Newest first. */
export const readLeads = (view: View, { text, status }: { text: string; status: string }) => view.sql<Lead[]>`
  select l.id, l.name, l.email, l.company, l.status, l.source, u.name as owner, l.tags, l.created_at
  from public.leads l
  left join public.users u on u.id = l.owner_id
  where l.tenant_id = ${view.tenant.id}
    ${status === '' ? view.sql`` : view.sql`and l.status = ${status}`}
    ${text === '' ? view.sql`` : view.sql`and (l.name ilike ${like(text)} or l.email ilike ${like(text)} or l.company ilike ${like(text)})`}
  order by l.created_at desc, l.id desc
  ${pageOf(view)}`;

export interface Deal {
  id: string;
  name: string;
  company: string | null;
  value: string;
  currency: string;
  status: string;
  priority: string;
  stage_id: string;
  stage: string;
  owner: string | null;
  expected_close_date: Date | null;
  loss_reason: string | null;
  closed_at: Date | null;
  updated_at: Date;
}

const dealColumns = ({ sql }: View) => sql`
  d.id, d.name, d.company, d.value, d.currency, d.status, d.priority, d.stage_id, s.name as stage, u.name as owner,
  d.expected_close_date, d.loss_reason, d.closed_at, d.updated_at`;

const dealSources = ({ sql }: View) => sql`
  public.deals d
  join public.pipeline_stages s on s.id = d.stage_id
  left join public.users u on u.id = d.owner_id`;

/** Most recently changed first. */
export const readDeals = (view: View, { text, status }: { text: string; status: string }) => view.sql<Deal[]>`
  select ${dealColumns(view)}
  from ${dealSources(view)}
  where d.tenant_id = ${view.tenant.id}
    ${status === '' ? view.sql`` : view.sql`and d.status = ${status}`}
    ${text === '' ? view.sql`` : view.sql`and (d.name ilike ${like(text)} or d.company ilike ${like(text)} or u.name ilike ${like(text)})`}
  order by d.updated_at desc, d.id desc
  ${pageOf(view)}`;

/** Open deals, and deals closed in the last 30 days. */
export const readPipeline = (view: View) => view.sql<Deal[]>`
  select ${dealColumns(view)}
  from ${dealSources(view)}
  where d.tenant_id = ${view.tenant.id} and (d.status = 'open' or d.closed_at > now() - interval '30 days')
  order by d.value desc, d.id
  limit ${MAX_CARDS}`;

export interface Stage {
  id: string;
  name: string;
  probability: number;
}

export const readStages = ({ sql, tenant }: View) => sql<Stage[]>`
  select id, name, probability from public.pipeline_stages where tenant_id = ${tenant.id} order by position`;
