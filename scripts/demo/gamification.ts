// Configuration by admins, by SQL as in Studio.
import type postgres from 'postgres';
import type { Made } from './create-demo-data.ts';

/** Creates what does not exist by its name. */
export async function createDemoGamification(sql: postgres.Sql, tenantId: string): Promise<Made> {
  return await sql.begin(async (tx) => {
    const tiers = await tx`
      select admin.create_tier(${tenantId}, name, points)
      from (values ('Bronze', 0::bigint), ('Silver', 150), ('Gold', 400), ('Diamond', 900)) as t (name, points)
      where not exists (select from admin.tiers known
                        where known.tenant_id = ${tenantId} and (known.name = t.name or known.min_points = t.points))`;
    const rules = await tx`
      select admin.set_point_rule(${tenantId}, event, points)
      from (values ('deal.won', 120), ('lead.qualified', 15), ('activity.completed', 5)) as r (event, points)
      where not exists (select from admin.point_rules known where known.tenant_id = ${tenantId} and known.event = r.event)`;
    const badges = await tx`
      select admin.create_badge(${tenantId}, name, metric, threshold)
      from (values ('First win', 'deals_won', 1), ('Century', 'points', 100), ('Ten missions', 'missions_completed', 10),
                   ('Closer', 'revenue_closed', 50000)) as b (name, metric, threshold)
      where not exists (select from admin.badges known where known.tenant_id = ${tenantId} and known.name = b.name)`;
    const challenges = await tx`
      select admin.create_challenge(${tenantId}, name, metric, target, date_trunc('week', now()),
                                    date_trunc('week', now()) + interval '1 week', reward)
      from (values ('Twelve missions this week', 'missions_completed', 12, 50), ('R$ 60,000 won', 'revenue_closed', 60000, 100))
        as c (name, metric, target, reward)
      where not exists (select from admin.challenges known
                        where known.tenant_id = ${tenantId} and known.name = c.name and known.ends_at > now())`;
    return {
      tiers: tiers.count,
      'point rules': rules.count,
      badges: badges.count,
      challenges: challenges.count,
    };
  });
}
