-- How a move treats the tables of other migrations.

set local lock_timeout = '3s';

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, kept) values
  ('private.write_probes', 'stay', 'state of the deployment', null, '', true),
  ('private.metric_sums', 'stay', 'figures of the deployment', null, '', true),
  ('private.fiscal_rules', 'stay', 'settings of the deployment', null, '', true),
  ('private.sandbox_tax_regimes', 'copy', 'data of the tenant', '{tenant_id}', null, false),
  ('private.sandbox_refunds', 'copy', 'orders of the tenant at the simulated provider', '{reference}',
   't.reference in (select r.id from public.refunds r where r.tenant_id = $tenant)', false),
  ('private.ledger_exports', 'stay', 'downloads in progress', null, null, false);

create function app.measure_moves() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  select 'placar_tenant_moves', jsonb_build_object('state', m.state), count(*)::double precision from private.tenant_moves m group by m.state
$$;

comment on function app.measure_moves() is 'Metrics: moves of tenants by state (worker only).';

grant execute on function app.measure_moves() to worker;
