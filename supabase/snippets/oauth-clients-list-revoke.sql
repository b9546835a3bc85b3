select * from admin.oauth_clients order by created_at desc;

-- Revoke a client permanently; its tokens stop working immediately:
-- select admin.revoke_oauth_client(client_id => 'client_...');

-- Rotate the secret; the old one stays valid for 24 hours. The result shows the new secret only once: copy it.
-- select admin.rotate_client_secret(client_id => 'client_...');
