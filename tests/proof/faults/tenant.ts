// A tenant with everything that its clients need, and a receiver of its webhooks.
import type postgres from 'postgres';
import type { Receiver } from './receiver.ts';

export interface ProofTenant {
  id: string;
  slug: string;
  /** With every scope of activity sync and payments. */
  apiKey: string;
  client: { client_id: string; client_secret: string };
}

/** Events for webhooks of records. */
const EVENTS = [
  ...['lead.created', 'lead.updated', 'lead.status_changed', 'lead.converted', 'lead.deleted'],
  ...['deal.created', 'deal.updated', 'deal.stage_changed', 'deal.won', 'deal.lost', 'deal.deleted'],
  ...['user.created', 'ranking.changed', 'badge.earned'],
];
const SECRET = `whsec_${Buffer.from('a secret of twenty-four.').toString('base64')}`;

/** A plan whose limits the proof never reaches. */
export const createProofPlan = (sql: postgres.Sql) => sql`
  insert into plans select (jsonb_populate_record(p, jsonb_build_object('name', 'proof', 'requests_per_minute', 1000000))).*
  from plans p where p.name = 'enterprise' on conflict do nothing`;

export async function createProofTenant(
  sql: postgres.Sql,
  receiver: Receiver,
  slug: string,
): Promise<ProofTenant> {
  await createProofPlan(sql);
  const [tenant] = await sql`select admin.create_tenant(${`Tenant ${slug}`}, ${slug}, 'proof') as id`;
  const id: string = tenant?.id;
  const scopes = ['default:sync', 'payments:read', 'payments:write'];
  const [key] = await sql`select api_key from admin.create_api_key(${id}, 'proof', ${scopes}, 100000000)`;
  const [client] = await sql`
    select client_id, client_secret from admin.create_oauth_client(${id}, 'proof', array['admin'], 'a')`;
  const [mission] = await sql`select admin.create_mission(${id}, 'Calls', 10) as id`;
  await sql`select admin.map_activity_code(${id}, '001', ${mission?.id})`;
  const [payments] = await sql`
    select secret from admin.create_payment_webhook(${id}, ${`${receiver.url}/payments`}, null)`;
  receiver.secrets.set('/payments', payments?.secret);
  receiver.secrets.set('/records', SECRET);
  return {
    id,
    slug,
    apiKey: key?.api_key,
    client: { client_id: client?.client_id, client_secret: client?.client_secret },
  };
}

/** Creates a webhook of records through its interface. */
export const recordsWebhook = (receiver: Receiver) => ({
  url: `${receiver.url}/records`,
  events: EVENTS,
  secret: SECRET,
});
