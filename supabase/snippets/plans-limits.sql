-- Changed limits apply from the next request.
select name, requests_per_minute, max_users, max_invitation_mails_per_day, max_webhooks, max_webhooks_per_host
from public.plans;

-- update public.plans set requests_per_minute = 600 where name = 'professional';
