-- Asaas: charges, PIX payouts and NFS-e in Brazil. Staging keys begin with $aact_hmlg_, production keys with $aact_prod_.
select admin.connect_asaas(
  'acme',
  '$aact_hmlg_YOUR_KEY',
  '{"municipal_service_code": "1.01", "municipal_service_name": "Software", "taxes": {"retain_iss": false, "iss": 2}}'
);

-- URL and token to enter in Asaas' withdrawal validation. The token is shown only once.
select token.* from admin.provider_accounts a, admin.new_withdrawal_token(a.id) as token where a.tenant = 'acme' and a.provider = 'asaas';

-- Wise: payouts in other currencies, paid from source_currency.
select admin.connect_wise('acme', 'YOUR_TOKEN', '{"profile_id": 12345678, "source_currency": "EUR"}');

-- Stripe: charges in the United States and the European Union. Staging keys begin with sk_test_, production keys with sk_live_.
select admin.connect_stripe('acme', 'sk_test_YOUR_KEY');

-- Within seconds each account is active, or failing with a reason. The column capabilities lists what is not available yet.
select id, tenant, provider, status, reason, capabilities, webhook_state, balance, currency from admin.provider_accounts;
