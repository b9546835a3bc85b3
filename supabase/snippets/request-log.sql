-- Requests of the last day
select at, method, function, path, query, status, reason, fields, ip, duration_ms, request_id, api_key_id, client_id
from admin.request_log
where tenant_id = (select id from public.tenants where slug = 'acme') and at > now() - interval '1 day'
order by at desc
limit 200;

-- Failed requests, grouped by cause
select status, reason, path, fields, sum(requests) from admin.request_log
where tenant_id = (select id from public.tenants where slug = 'acme') and status >= 400 and at > now() - interval '1 day'
group by 1, 2, 3, 4
order by 5 desc;

-- Requests that could not be attributed to a tenant (requests > 1: the row summarizes several)
select * from admin.request_log where tenant_id is null order by at desc limit 200;

-- Requests of a trace
select at, function, method, path, status, request_id from admin.request_log
where trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
order by at;

-- Events of a trace
select created_at, type, data from admin.events
where tenant_id = (select id from public.tenants where slug = 'acme') and trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
order by created_at;
