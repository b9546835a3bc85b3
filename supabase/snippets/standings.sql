-- Standings
select position, name, email, points, opted_out_of_rankings
from admin.standings
where tenant_id = (select id from public.tenants where slug = 'acme')
order by position nulls last, name
limit 100;

-- Hide the player with this email address from standings; false shows them again
select admin.set_ranking_opt_out(tenant_id, email, true)
from public.players where tenant_id = (select id from public.tenants where slug = 'acme') and email = 'ana@acme.example';
