select * from admin.oauth_clients order by created_at desc;

-- For good; tokens stop at once:
-- select admin.revoke_oauth_client(client_id => 'client_...');
