-- What happened to a record, what of it changed each time, and how it then was:
select created_at, type, changed, origin, depth, data
from admin.events
where tenant_id = (select id from admin.tenants where slug = 'demo') and data ->> 'id' = '...'
order by id;

-- What the events of each tenant take, in bytes as stored: the rows, and the large values that records share among theirs.
-- select e.tenant_id, count(*) as events, pg_size_pretty(sum(pg_column_size(e.*))) as rows,
--        (select pg_size_pretty(sum(pg_column_size(v.*))) from public.event_values v where v.tenant_id = e.tenant_id) as large_values
-- from public.events e group by e.tenant_id order by count(*) desc;
