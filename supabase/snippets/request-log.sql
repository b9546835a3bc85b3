select at, method, function, path, status, reason, ip, duration_ms, request_id, api_key_id
from admin.request_log
where tenant_id = (select id from public.tenants where slug = 'acme') and at > now() - interval '1 day'
order by at desc
limit 200;

-- Calls that could not be told to belong to any tenant:
-- select * from admin.request_log where tenant_id is null order by at desc limit 200;
