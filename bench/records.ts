// A client of the records interface, and generated leads and deals.
import type { Stage } from './stage.ts';

export interface RecordsClient {
  url: string;
  token: string;
  /** Ids of some leads. */
  leads: string[];
  /** A user with a constant number of leads and deals, whatever else is stored. */
  owner: string;
}

const CHUNK = 100_000;
const OWNERS = 20;
const OWN_DEALS = 200;
const SAMPLE = 1000;

/** Creates an OAuth client and gets a token from the `oauth` function at this URL. */
export async function createToken({ sql, tenantId }: Stage, oauthUrl: string): Promise<string> {
  const [client] = await sql`
    select client_id, client_secret from admin.create_oauth_client(${tenantId}, 'Bench', array['admin'])`;
  const reply = await fetch(`${oauthUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'client_credentials', ...client }),
  });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  return token;
}

/** A client of a tenant without a rate limit. */
export async function recordsClient(stage: Stage): Promise<RecordsClient> {
  const { stack, sql, tenantId } = stage;
  await sql`insert into public.plans (name, requests_per_minute) values ('bench', 2000000000) on conflict do nothing`;
  await sql`update public.tenants set plan = 'bench' where id = ${tenantId}`;
  const token = await createToken(stage, stack.info.auth_url);
  await sql`
    insert into public.users (tenant_id, name, email)
    select ${tenantId}, 'Seller ' || i, 'user-' || i || '@bench.example' from generate_series(1, ${OWNERS}::integer) as i`;
  const [owner] = await sql`
    insert into public.users (tenant_id, name, email) values (${tenantId}, 'Owner', 'owner@bench.example') returning id`;
  await sql`
    insert into public.deals (tenant_id, name, value, stage_id, owner_id, status)
    select ${tenantId}, 'Own deal ' || i, i, s.id, ${owner?.id}, (array['open', 'won', 'lost'])[1 + i % 3]
    from generate_series(1, ${OWN_DEALS}::integer) as i, public.pipeline_stages s
    where s.tenant_id = ${tenantId} and s.position = 1`;
  const url = `http://127.0.0.1:${stack.functions.get('v1')?.port}`;
  return { url, token, leads: [], owner: owner?.id };
}

/**
 * Adds leads and deals, or only leads, up to this number, with triggers disabled for speed. Then samples the leads. Names and
 * owners do not correlate with the order of creation.
 */
export async function fillRecords(
  { sql, tenantId }: Stage,
  client: RecordsClient,
  rows: number,
  { deals = true } = {},
): Promise<void> {
  const [stored] = await sql`select count(*)::integer as n from public.leads where tenant_id = ${tenantId}`;
  await sql.unsafe(
    'alter table public.leads disable trigger user; alter table public.deals disable trigger user',
  );
  for (let first = Number(stored?.n); first < rows; first += CHUNK) {
    const last = Math.min(rows, first + CHUNK) - 1;
    await sql`
      insert into public.leads (tenant_id, name, email, company, source, status, owner_id, created_at, updated_at)
      select ${tenantId}, (array['Maria', 'José', 'Ana', 'Bruno'])[1 + hash % 4] || ' Silva ' || hash % 100000,
             'lead-' || i || '@filled.example', 'Company ' || hash % 1000, 'website',
             (array['new', 'contacted', 'qualified', 'unqualified'])[1 + i % 4], u.ids[1 + hash % cardinality(u.ids)],
             now() - make_interval(mins => i), now() - make_interval(mins => i)
      from generate_series(${first}::integer, ${last}::integer) as i,
           lateral (select abs(hashint4(i)) as hash) as h,
           (select array_agg(id) as ids from public.users where tenant_id = ${tenantId} and id <> ${client.owner}) as u`;
    if (!deals) continue;
    await sql`
      insert into public.deals (tenant_id, name, value, stage_id, owner_id, status, closed_at, created_at, updated_at)
      select ${tenantId}, 'Deal ' || hash % 100000, hash % 10000, s.ids[1 + hash % cardinality(s.ids)],
             u.ids[1 + hash % cardinality(u.ids)], (array['open', 'won', 'lost'])[1 + i % 3],
             case when i % 3 > 0 then now() - make_interval(mins => i / 2) end,
             now() - make_interval(mins => i), now() - make_interval(mins => i)
      from generate_series(${first}::integer, ${last}::integer) as i,
           lateral (select abs(hashint4(i)) as hash) as h,
           (select array_agg(id) as ids from public.users where tenant_id = ${tenantId} and id <> ${client.owner}) as u,
           (select array_agg(id) as ids from public.pipeline_stages where tenant_id = ${tenantId}) as s`;
  }
  await sql.unsafe(
    'alter table public.leads enable trigger user; alter table public.deals enable trigger user',
  );
  await sql`vacuum analyze public.leads, public.deals`;
  const sample = await sql`
    select id from public.leads where tenant_id = ${tenantId} and status <> 'new' order by random() limit ${SAMPLE}`;
  client.leads = sample.map(({ id }) => String(id));
}
