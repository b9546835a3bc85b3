// A tenant with one of every record, for requests to any route.
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { Reply } from '../gamification/sync.ts';
import { grant, requestToken } from '../oauth.ts';
import { waitFor } from '../wait-for.ts';
import { forgetMails } from './record-flows.ts';
import { createRecordsTenant, type RecordsTenant, records } from './records.ts';
import {
  type Body,
  fillBody,
  fillPath,
  type Ids,
  newActivity,
  newDeal,
  newLead,
  newUser,
  newWebhook,
  type Route,
} from './records-routes.ts';

export interface Furnished {
  tenant: RecordsTenant;
  ids: Ids;
}

/** A tenant with one of every record, and a client that acts for its user. */
export async function furnish(sql: postgres.Sql, plan?: string): Promise<Furnished> {
  const tenant = await createRecordsTenant(sql, plan === undefined ? {} : { plan });
  const make = async (path: string, body: Body) => {
    const reply = await records(tenant.token, 'POST', path, body);
    expect([path, reply.status, reply.body]).toEqual([path, expect.toSatisfy((n) => n < 300), reply.body]);
    return reply.body.data;
  };
  const { id: user } = await make('/users', { ...newUser(), team_id: null });
  const { id: team } = await make('/teams', { name: 'Sales', member_ids: [user] });
  const { id: parent } = await make('/teams', { name: 'Company' });
  const { id: invitation } = await make('/invitations', { ...newUser(), team_id: team });
  const sent = waitFor(async () => {
    const [row] = await sql`select from invitations where id = ${invitation} and sent_at is not null`;
    return row !== undefined;
  });
  const { id: lead } = await make('/leads', { ...newLead(), owner_id: user, team_id: team });
  const { id: duplicate } = await make('/leads', { ...newLead(), owner_id: user, team_id: team });
  const [stage] = await sql`
    select id from pipeline_stages where tenant_id = ${tenant.id} order by position limit 1`;
  const of = { owner_id: user, lead_id: lead, stage_id: stage?.id };
  const { id: deal } = await make('/deals', { ...newDeal(), ...of });
  await make(`/deals/${deal}/activities`, newActivity());
  const { id: webhook } = await make('/webhooks', newWebhook());
  const { delivery_id: delivery } = await make(`/webhooks/${webhook}/test`, {});
  const { id: replay } = await make(`/webhooks/${webhook}/replay`, { failed: true });
  // So that it can be sent again.
  await sent;
  await forgetMails(sql, tenant.id);
  const client = await createActingClient(sql, tenant.id, user);
  const external = `crm-${crypto.randomUUID()}`;
  for (const path of [`/leads/${lead}`, `/deals/${deal}`, `/users/${user}`]) {
    const { status } = await records(client.token, 'PATCH', path, { external_id: external });
    expect([path, status]).toEqual([path, 200]);
  }
  const ids = {
    ...{ lead, duplicate, deal, stage: stage?.id, user, team, parent, invitation, webhook, delivery, replay },
    external,
  };
  return { tenant: { id: tenant.id, ...client }, ids };
}

async function createActingClient(sql: postgres.Sql, tenantId: string, userId: string) {
  const [row] = await sql`
    select client_id, client_secret from admin.create_oauth_client(${tenantId}, 'test', ${['admin']}, 'a', ${userId})`;
  const { client_id, client_secret } = row ?? {};
  const { body } = await requestToken(grant({ client_id, client_secret }));
  return { token: body.access_token as string, clientId: client_id as string };
}

/** Sends the example of the route for the given records. */
export function sendExample(
  token: string | null,
  { method, path, example }: Route,
  { ids }: Furnished,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return records(token, method, fillPath(path, ids), fillBody(example?.(), ids), { headers });
}

/** A plan with this limit, for a tenant whose quota no other test uses. */
export async function createPlan(sql: postgres.Sql, requestsPerMinute = 1_000_000): Promise<string> {
  const name = `plan-${crypto.randomUUID()}`;
  await sql`insert into plans (name, requests_per_minute) values (${name}, ${requestsPerMinute})`;
  return name;
}

/** The data of a tenant, without anything that jobs change on their own. */
export async function stateOf(sql: postgres.Sql, tenantId: string): Promise<unknown> {
  const rows = (table: string, volatile: string[] = []) => sql`
    (select coalesce(jsonb_agg(to_jsonb(r) - ${volatile}::text[] order by r.id), '[]')
     from ${sql(table)} r where r.tenant_id = ${tenantId}) as ${sql(table)}`;
  const [state] = await sql`
    select ${rows('leads')}, ${rows('deals')}, ${rows('deal_activities')}, ${rows('teams')},
           (select jsonb_agg(to_jsonb(e) order by e.id) from events e
            where e.tenant_id = ${tenantId} and e.type <> 'ranking.changed') as events,
           ${rows('pipeline_stages')}, ${rows('users', ['last_active_at'])},
           ${rows('invitations', ['sent_at', 'token_hash'])},
           ${rows('webhook_endpoints', ['consecutive_failures', 'first_failure_at', 'updated_at'])},
           (select count(*) from webhook_deliveries where tenant_id = ${tenantId}) as deliveries`;
  return state;
}
