// Common steps of tests of records: create records, and read the resulting events.
import type postgres from 'postgres';
import { inject } from 'vitest';
import type { Json, Reply } from '../gamification/sync.ts';
import { sweepNow } from '../sweep.ts';
import { waitFor } from '../wait-for.ts';
import { type RecordsCallOptions, records } from './records.ts';

/** An id that does not exist. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';

let made = 0;

/** An email address that no other test uses. */
export const newEmail = (): string => `p${process.pid}-${Date.now().toString(36)}-${made++}@example.com`;

/** Sends a request, expects this status, and returns `data`. */
export async function expectData(
  token: string,
  method: string,
  path: string,
  status: number,
  body?: unknown,
  options: RecordsCallOptions = {},
): Promise<Json> {
  const reply = await records(token, method, path, body, options);
  if (reply.status !== status) {
    throw new Error(`${method} ${path}: ${reply.status} instead of ${status}: ${JSON.stringify(reply.body)}`);
  }
  return reply.body?.data;
}

export const createLead = (token: string, lead: object = {}): Promise<Json> =>
  expectData(token, 'POST', '/leads', 201, { name: 'Ana', email: newEmail(), ...lead });

export const createDeal = (token: string, deal: object = {}): Promise<Json> =>
  expectData(token, 'POST', '/deals', 201, { name: 'Deal', value: 100, ...deal });

export const createUser = (token: string, user: object = {}): Promise<Json> =>
  expectData(token, 'POST', '/users', 201, { name: 'Rui', email: newEmail(), role: 'sales_rep', ...user });

export const createTeam = (token: string, team: object = {}): Promise<Json> =>
  expectData(token, 'POST', '/teams', 201, { name: 'Team', ...team });

export const stagesOf = (token: string): Promise<Json> => expectData(token, 'GET', '/stages', 200);

/** Fields and statuses of an error, for one assertion. */
export const faultOf = ({ status, body }: Reply) => ({
  status,
  code: body?.error?.code,
  fields: body?.error?.details?.map((detail: { field: string }) => detail.field),
});

/** Statuses of responses, sorted. */
export const statusesOf = (replies: Reply[]): number[] => replies.map(({ status }) => status).sort();

export interface Events {
  /** Types of events since the last call, oldest first. */
  types(): Promise<string[]>;
  /** Events since the last call, oldest first, in stored form. */
  all(): Promise<Json[]>;
}

/** Follows the events of a tenant, except changes of the ranking, which a job computes while the test runs. */
export function followEvents(sql: postgres.Sql, tenantId: string): Events {
  let seen = 0;
  const all = async () => {
    const rows = await sql`
      select type, data, origin, created_at from events
      where tenant_id = ${tenantId} and type <> 'ranking.changed' order by created_at, id offset ${seen}`;
    seen += rows.length;
    return [...rows];
  };
  return { all, types: async () => (await all()).map(({ type }) => type) };
}

/** Creates leads with SQL. Timestamps keep their microseconds. */
export const insertLeads = (sql: postgres.Sql, tenantId: string, leads: object[]) => sql`
  insert into leads (tenant_id, email, name, status, company, phone, created_at, updated_at)
  select ${tenantId}, coalesce(r.email, 'l' || ord || '@x.co'), r.name, coalesce(r.status, 'new'), r.company, r.phone,
         coalesce(r.created_at, now()), coalesce(r.updated_at, now())
  from jsonb_array_elements(${JSON.stringify(leads)}::text::jsonb) with ordinality as l (value, ord),
       jsonb_populate_record(null::leads, l.value) as r`;

interface Invited {
  at: string;
  to: string[];
  subject: string;
  text: string;
  links: string[];
}

/** Waits until this many mails to this address exist. Returns them, newest first. */
export const mailsTo = (email: string, count = 1): Promise<Invited[]> =>
  waitFor(async () => {
    const mails: Invited[] = await (await fetch(inject('stack').mail_url)).json();
    const own = mails.filter(({ to }) => to.includes(email));
    return own.length >= count && own;
  });

/** Backdates all mails of a tenant by a day, so that the mail limit delays nothing. */
export const forgetMails = (sql: postgres.Sql, tenantId: string) =>
  sql`update private.invitation_mails set sent_at = sent_at - interval '25 hours' where tenant_id = ${tenantId}`;

/** Opens the first link of a mail as the recipient does. Returns the status of the response. */
export const followLink = async (mail: Invited | undefined): Promise<number> =>
  (await fetch(mail?.links[0] ?? '', { redirect: 'manual' })).status;

/** Waits until the user has this status. Returns the user. */
export const userWith = (token: string, id: string, status: string): Promise<Json> =>
  waitFor(async () => {
    const user = await expectData(token, 'GET', `/users/${id}`, 200);
    return user.status === status && user;
  });

/** The account in Auth with this email address. */
export async function authUserOf(sql: postgres.Sql, email: string): Promise<Json> {
  const [row] = await sql`
    select id, email_confirmed_at is not null as confirmed, coalesce(banned_until > now(), false) as banned
    from auth.users where email = ${email}`;
  return row;
}

/** Waits until no Auth job for this address is due. Jobs that an acceptance creates are published by the sweep. */
export const authWorked = (sql: postgres.Sql, email: string): Promise<boolean> =>
  waitFor(async () => {
    await sweepNow();
    const [job] = await sql`
      select from jobs where name = 'sync-auth-user' and payload ->> 'email' = ${email}
        and finished_at is null and (due_at <= now() or locked_until is not null)`;
    return !job;
  });
