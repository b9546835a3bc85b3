select * from admin.oauth_clients order by created_at desc;

-- For good; tokens stop at once:
-- select admin.revoke_oauth_client(client_id => 'client_...');

-- A new secret, which is in the answer and nowhere else: copy it. The old one is good for 24 hours more.
-- select admin.rotate_client_secret(client_id => 'client_...');
