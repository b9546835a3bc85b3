-- Asaas with taxes for all documents, and for a service of its own (service_code "consulting").
select admin.connect_asaas(
  'acme',
  '$aact_hmlg_YOUR_KEY',
  '{
    "taxes": {"retain_iss": false, "iss": 2, "pis_cofins_cst": "01", "operation_pis": 0.65, "operation_cofins": 3,
              "nbs_code": "1.1502.10.00", "tax_situation_code": "000", "tax_classification_code": "000001", "operation_indicator_code": "100301"},
    "services": {"consulting": {"code": "17.01", "name": "Consulting", "taxes": {"iss": 5, "nbs_code": "1.1401.11.00"}}},
    "customer_address": "optional"
  }'
);

-- Accounts with their tax regime, and what their settings lack.
select tenant, tax_regime, national_portal, warnings from admin.provider_accounts where provider = 'asaas';

-- Codes that Asaas knows. Read daily for accounts that IBS and CBS concern.
select kind, code, description from admin.fiscal_codes
where account_id = (select id from admin.provider_accounts where tenant = 'acme' and provider = 'asaas') and description ilike '%software%';

-- From when documents need which taxes. Null means never.
select * from admin.fiscal_rules;

-- Change one
select admin.set_fiscal_rule('simples', 'ibs_cbs', '2027-01-01', '2027-01-01');

-- The tax regime with which the sandbox issues documents: simples (default), normal or unknown. Staging only.
select admin.set_sandbox_tax_regime('acme', 'normal');
