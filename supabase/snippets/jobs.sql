select * from admin.jobs where status <> 'finished' order by due_at limit 200;

-- Retry a failed job within a minute:
-- update public.jobs set failed_at = null, failures = 0, due_at = now() where id = '...';
