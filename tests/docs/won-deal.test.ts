// docs/how-a-won-deal-becomes-points.md: its names exist, and its description of the effects is correct.
import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace } from '../support/gamification/gamification.ts';
import { createToken, records } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
/** A recount is due after two seconds, and its effects follow. */
const WAIT = { limitMs: 25_000 };
const text = readFileSync(new URL('../../docs/how-a-won-deal-becomes-points.md', import.meta.url), 'utf8');

/** Names of database objects as the document writes them: without the schema for `public`. */
async function knownNames(): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    with ours as (
      select oid, nspname, case nspname when 'public' then '' else nspname || '.' end as prefix
      from pg_namespace where nspname in ('public', 'app', 'admin', 'private')
    ), relations as (
      select c.oid, ours.prefix || c.relname as name
      from pg_class c join ours on ours.oid = c.relnamespace where c.relkind in ('r', 'p', 'v')
    )
    select name from relations
    union select r.name || '.' || a.attname from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0
    union select ours.prefix || p.proname from pg_proc p join ours on ours.oid = p.pronamespace
    union select tgname from pg_trigger g join relations r on r.oid = g.tgrelid where not tgisinternal
    union select rolname from pg_roles`;
  return new Set(rows.map(({ name }) => name));
}

test('every name in backticks, and every function in the diagram, exists in the database', async () => {
  const known = await knownNames();
  const withoutPicture = text.replace(/```[\s\S]*?```/g, '');
  const quoted = [...withoutPicture.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const functions = [...text.matchAll(/\b(?:app|admin|private)\.\w+/g)].map(([name]) => name);
  const participants = [...text.matchAll(/^ {2}participant (?:\w+ as )?(\w+)$/gm)].map(
    ([, name = '']) => name,
  );
  const tables = participants.filter((name) => !['CRM', 'QStash'].includes(name));
  expect(quoted.length).toBeGreaterThan(40);
  expect(tables.length).toBeGreaterThan(4);
  const isKnown = (name: string) => known.has(name) || known.has(`private.${name}`);
  const lost = [
    ...quoted.filter((name) => !known.has(name)),
    ...[...functions, ...tables].filter((name) => !isKnown(name)),
  ];
  expect([...new Set(lost)]).toEqual([]);
});

test('winning a deal immediately creates its event, points, deliveries and jobs; jobs do the rest', async () => {
  const workspace = await createWorkspace(sql, ['ana']);
  const [user] = await sql<{ id: string }[]>`select id from public.users where tenant_id = ${workspace.id}`;
  const actions = [{ type: 'add_tag', tag: 'won' }];
  await sql`select admin.set_point_rule(${workspace.id}, 'deal.won', 50)`;
  await sql`select admin.create_badge(${workspace.id}, 'First deal', 'deals_won', 1)`;
  await sql`
    select admin.create_automation(${workspace.id}, 'Tag', 'deal.won', '[]'::jsonb, ${sql.json(actions)})`;
  // Ordered by SQL, so only the sweep would publish it.
  await sql`delete from public.jobs where tenant_id = ${workspace.id} and name = 'recount'`;
  const { token } = await createToken(sql, workspace.id);
  const url = `${inject('stack').inbox_url}/${workspace.id}`;
  await records(token, 'POST', '/webhooks', { url, events: ['deal.won'], secret: 'whsec_of_a_test' });
  const created = await records(token, 'POST', '/deals', {
    name: 'Deal',
    value: 10,
    owner_id: user?.id ?? null,
  });

  const path = `/deals/${created.body?.data.id}/close`;
  const closed = await records(token, 'POST', path, { result: 'won', final_value: 12 });
  expect(closed.status).toBe(200);
  const [atOnce] = await sql`
    with event as (
      select * from public.events where tenant_id = ${workspace.id} and data ->> 'status' = 'won' and depth = 0
    )
    select (select array_agg(type) from event) as events,
           (select total_points::int from public.players where tenant_id = ${workspace.id}) as points,
           (select count(*)::int from public.point_entries p join event e on e.id = p.event_id) as entries,
           (select count(*)::int from public.webhook_deliveries d join event e on e.id = d.event_id) as deliveries,
           array(select distinct name from public.jobs where tenant_id = ${workspace.id} order by name) as jobs`;
  // The badge that the workspace has is counted for everyone once more, a minute after it was set.
  const jobs = ['deliver-webhook', 'recount', 'recount-everyone', 'run-automations'];
  expect(atOnce).toEqual({ events: ['deal.won'], points: 50, entries: 1, deliveries: 1, jobs });

  await waitFor(async () => {
    const [later] = await sql`
      select (select tags from public.deals where tenant_id = ${workspace.id}) as tags,
             (select array_agg(status) from public.webhook_deliveries where tenant_id = ${workspace.id}) as deliveries,
             (select count(*)::int from public.earned_badges where tenant_id = ${workspace.id}) as badges,
             (select position::int from public.rankings where tenant_id = ${workspace.id}) as position,
             array(select type || ' ' || depth from public.events where tenant_id = ${workspace.id}
                   and type in ('deal.updated', 'badge.earned') order by type) as events`;
    expect(later).toEqual({
      tags: ['won'],
      deliveries: ['delivered'],
      badges: 1,
      position: 1,
      events: ['badge.earned 0', 'deal.updated 1'],
    });
    return true;
  }, WAIT);
});
