-- Asaas: charges, PIX payouts and NFS-e in Brazil. Keys of staging begin with $aact_hmlg_, of production with $aact_prod_.
select admin.connect_asaas(
  'acme',
  '$aact_hmlg_YOUR_KEY',
  '{"municipal_service_code": "1.01", "municipal_service_name": "Software", "taxes": {"retainIss": false, "iss": 2}}'
);

-- Address and token of Asaas' withdrawal validation, to type in there. The token is shown once.
select token.* from admin.provider_accounts a, admin.new_withdrawal_token(a.id) as token where a.tenant = 'acme' and a.provider = 'asaas';

-- Wise: payouts in other currencies, paid from this one.
select admin.connect_wise('acme', 'YOUR_TOKEN', '{"profile_id": 12345678, "source_currency": "EUR"}');

-- Stripe: charges in the United States and the European Union. Keys of staging begin with sk_test_, of production with sk_live_.
select admin.connect_stripe('acme', 'sk_test_YOUR_KEY');

-- Within seconds each is active, or failing with its reason; what it can do is in capabilities.
select id, tenant, provider, status, reason, capabilities, webhook_state, balance, currency from admin.provider_accounts;
