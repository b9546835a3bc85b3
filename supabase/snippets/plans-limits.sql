-- Limits of the plans
select name, requests_per_minute, max_users, max_invitation_mails_per_day, max_webhooks, max_webhooks_per_host
from public.plans;

-- Change a limit, from the next request
update public.plans set requests_per_minute = 600 where name = 'professional';
