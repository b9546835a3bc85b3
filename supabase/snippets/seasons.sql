-- A season is a time that standings can be asked for: GET /v1/standings?season=<id>. It ends before ends_at.
select admin.create_season(
  tenant_id => (select id from public.tenants where slug = 'acme'), name => 'Winter 2026',
  starts_at => '2026-06-01T00:00:00-03:00', ends_at => '2026-09-01T00:00:00-03:00'
);

select id, name, starts_at, ends_at from admin.seasons
where tenant_id = (select id from public.tenants where slug = 'acme')
order by starts_at;
