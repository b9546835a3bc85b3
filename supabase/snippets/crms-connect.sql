-- RD Station CRM: client_id and client_secret of your app. Then run the snippet crms-authorize.
select admin.connect_crm('acme', 'rd_station', '{"client_id": "YOUR_CLIENT_ID", "client_secret": "YOUR_CLIENT_SECRET"}');

-- Pipedrive: the domain in your address, and the token of a user. With settings: changes in Placar go to Pipedrive too, and a custom field.
select admin.connect_crm(
  'acme', 'pipedrive',
  '{"domain": "acme", "api_token": "0123456789abcdef0123456789abcdef01234567"}',
  '{"direction": "both", "fields": {"lead": {"custom_fields.cpf": "89abcdef0123456789abcdef0123456789abcdef"}}}'
);

-- HubSpot: token and client secret of an app; then run the snippet crms-webhooks-hubspot. Or {"service_key": "..."}, which has no webhooks.
select admin.connect_crm('acme', 'hubspot', '{"access_token": "pat-na1-YOUR_TOKEN", "client_secret": "YOUR_CLIENT_SECRET"}');

-- Within seconds each account is active, or failing with a reason. Nothing is read before the first import.
select id, crm, status, reason, webhook_state, settings from admin.crm_accounts where tenant = 'acme';
