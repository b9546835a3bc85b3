-- Create a challenge for this week, unless it exists. It counts the metric from starts_at to ends_at
select admin.create_challenge(
  tenant => 'acme', name => 'Ten calls this week', metric => 'activities_logged', target => 10,
  starts_at => date_trunc('week', now()), ends_at => date_trunc('week', now()) + interval '1 week', reward_points => 50
)
where not exists (select from admin.challenges where tenant = 'acme' and name = 'Ten calls this week' and ends_at > now());

-- Challenges
select name, metric, target, starts_at, ends_at, reward_points, completed_by from admin.challenges where tenant = 'acme';

-- Progress of each person
select challenge, email, value, target, completed_at from admin.challenge_progress
where tenant_id = (select id from public.tenants where slug = 'acme') order by challenge, value desc;
