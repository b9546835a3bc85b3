-- Clients, and of how many records each has external ids.
select c.client_id, c.label, c.revoked_at, count(e.*) as external_ids
from admin.oauth_clients c left join public.external_ids e on e.client_id = c.client_id
group by 1, 2, 3 order by 2;

-- Before a client is revoked: its successor in the same tenant finds the records by the same external ids.
-- select admin.move_external_ids(from_client => 'client_...', to_client => 'client_...');
