-- History of a record: each event with the changed members and the record at that time
select created_at, type, changed, origin, depth, data
from admin.events
where tenant_id = (select id from admin.tenants where slug = 'acme') and data ->> 'id' = '00000000-0000-0000-0000-000000000000'
order by id;

-- Stored size of each tenant's events: the rows, and the large values that events of a record share
select e.tenant_id, count(*) as events, pg_size_pretty(sum(pg_column_size(e.*))) as rows,
       (select pg_size_pretty(sum(pg_column_size(v.*))) from public.event_values v where v.tenant_id = e.tenant_id) as large_values
from public.events e
group by e.tenant_id
order by count(*) desc;
