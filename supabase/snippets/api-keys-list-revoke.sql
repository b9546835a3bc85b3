-- API keys, newest first
select * from admin.api_keys order by created_at desc;

-- Replace the key with this label; the old one expires in 24 hours. The result shows the new key only once: copy it
select r.* from admin.api_keys k, admin.rotate_api_key(k.id) r where k.tenant = 'acme' and k.label = 'CRM to replace';

-- Set the networks that may use a key; {} allows any address
select admin.set_allowlist(id, '{203.0.113.0/24}') from admin.api_keys where tenant = 'acme' and label = 'CRM with fixed address';

-- Revoke a key permanently, from the next request
select admin.revoke_api_key(id) from admin.api_keys where tenant = 'acme' and label = 'CRM no longer used';
