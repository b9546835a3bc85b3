select * from admin.oauth_clients order by created_at desc;

-- Revoke a client permanently; its tokens stop working immediately:
-- select admin.revoke_oauth_client(client_id => 'client_...');

-- Rotate the secret. The result shows the new one only once: copy it. The old one stays valid for 24 hours.
-- select admin.rotate_client_secret(client_id => 'client_...');
