-- Jobs that are not finished
select * from admin.jobs where status <> 'finished' order by due_at limit 200;

-- Retry the failed jobs of this name within a minute
update public.jobs set failed_at = null, failures = 0, due_at = now() where failed_at is not null and name = 'send-mail';
