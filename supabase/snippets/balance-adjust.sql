-- Minor units; negative takes out. Gives the id of the ledger entry.
select admin.adjust_balance(
  tenant_id => '00000000-0000-4000-8000-000000000001',
  amount    => -1500,
  currency  => 'BRL',
  reason    => 'Bank charge of May'
);

select * from admin.balances where tenant_id = '00000000-0000-4000-8000-000000000001';
