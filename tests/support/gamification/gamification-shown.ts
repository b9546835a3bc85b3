// A tenant with one of everything that gamification shows.
import type postgres from 'postgres';

/** Missions, points, badges, a challenge and a season of a user who was also sent by a CRM. */
export async function addGamification(sql: postgres.Sql, tenantId: string, userId: string): Promise<void> {
  const [mission] = await sql`select admin.create_mission(${tenantId}, 'First calls', 10) as id`;
  await sql`select admin.map_activity_code(${tenantId}, '001', ${mission?.id})`;
  await sql`
    insert into collaborators (tenant_id, external_id, name, email)
    select tenant_id, 'crm-5', name, email from users where id = ${userId}`;
  await sql`
    insert into activities (tenant_id, external_id, activity_code, collaborator_id)
    select tenant_id, 'call-1', '001', id from collaborators where tenant_id = ${tenantId}`;
  await sql`
    select admin.adjust_points(tenant_id, email, 5, 'Won the quiz') from users where id = ${userId}`;
  await sql`select admin.create_badge(${tenantId}, 'First points', 'points', 1)`;
  await sql`
    select admin.create_challenge(${tenantId}, 'A hundred points', 'points', 100, '2026-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 50),
           admin.create_season(${tenantId}, 'Summer', '2026-01-01T00:00:00Z', '2099-01-01T00:00:00Z')`;
  await sql`select app.recount(${tenantId})`;
}
