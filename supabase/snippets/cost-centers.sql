-- Creates a cost center for invoices and payouts. The default is used when a request specifies none.
select admin.register_cost_center(
  tenant_id  => (select id from public.tenants where slug = 'acme'),
  code       => 'sales',
  name       => 'Sales',
  is_default => true
);

-- Cost centers
select code, name, is_default from public.cost_centers where tenant_id = (select id from public.tenants where slug = 'acme');
