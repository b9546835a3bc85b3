select * from admin.api_keys order by created_at desc;

-- For good, from the next request on:
-- select admin.revoke_api_key(id => '...');
