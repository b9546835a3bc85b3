-- Clients, with the number of external ids of each
select c.client_id, c.label, c.revoked_at, count(e.*) as external_ids
from admin.oauth_clients c left join public.external_ids e on e.client_id = c.client_id
group by 1, 2, 3 order by 2;

-- Before you revoke a client, move its external ids to its successor in the same tenant
select admin.move_external_ids(o.client_id, n.client_id)
from admin.oauth_clients o
join admin.oauth_clients n on n.tenant_id = o.tenant_id and n.label = 'New CRM'
where o.tenant = 'acme' and o.label = 'Old CRM';
