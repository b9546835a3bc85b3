select * from admin.api_keys order by created_at desc;

-- Revoke a key permanently, from the next request:
-- select admin.revoke_api_key(id => '...');

-- Create a replacement key; the old one expires in 24 hours. The result shows the key only once: copy it.
-- select * from admin.rotate_api_key(id => '...');

-- Set the networks that may use a key; {} means any address:
-- select admin.set_allowlist(api_key_id => '...', allowlist => '{203.0.113.0/24}');
