-- Amounts are in minor units; use a negative amount to deduct. Returns the id of the ledger entry.
select admin.adjust_balance(
  tenant_id => (select id from public.tenants where slug = 'acme'),
  amount    => -1500,
  currency  => 'BRL',
  reason    => 'Bank charge of May'
);

-- Balances
select * from admin.balances where tenant_id = (select id from public.tenants where slug = 'acme');
