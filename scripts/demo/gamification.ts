// Configuration by admins. It has no API, so it uses SQL, like Studio.
import type postgres from 'postgres';

export async function createDemoGamification(sql: postgres.Sql, tenantId: string): Promise<void> {
  const [known] = await sql`select from admin.tiers where tenant_id = ${tenantId} limit 1`;
  if (known) return;
  await sql.begin(async (tx) => {
    await tx`
      select admin.create_tier(${tenantId}, name, points)
      from (values ('Bronze', 0::bigint), ('Silver', 150), ('Gold', 400), ('Diamond', 900)) as t (name, points)`;
    await tx`
      select admin.set_point_rule(${tenantId}, event, points)
      from (values ('deal.won', 120), ('lead.qualified', 15), ('activity.completed', 5)) as r (event, points)`;
    await tx`
      select admin.create_badge(${tenantId}, name, metric, threshold)
      from (values ('First win', 'deals_won', 1), ('Century', 'points', 100), ('Ten missions', 'missions_completed', 10),
                   ('Closer', 'revenue_closed', 50000)) as b (name, metric, threshold)`;
    await tx`
      select admin.create_challenge(${tenantId}, name, metric, target, date_trunc('week', now()),
                                    date_trunc('week', now()) + interval '1 week', reward)
      from (values ('Twelve missions this week', 'missions_completed', 12, 50), ('R$ 60,000 won', 'revenue_closed', 60000, 100))
        as c (name, metric, target, reward)`;
  });
}
