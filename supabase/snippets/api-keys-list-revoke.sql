select * from admin.api_keys order by created_at desc;

-- For good, from the next request on:
-- select admin.revoke_api_key(id => '...');

-- A new key like this one; this one ends in 24 hours. The key is in the answer and nowhere else: copy it.
-- select * from admin.rotate_api_key(id => '...');

-- Networks that may use it; {} means any address:
-- select admin.set_allowlist(api_key_id => '...', allowlist => '{203.0.113.0/24}');
