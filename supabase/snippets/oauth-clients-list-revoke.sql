-- OAuth clients, newest first
select * from admin.oauth_clients order by created_at desc;

-- Rotate the secret; the old one stays valid for 24 hours. The result shows the new secret only once: copy it
select client_id, admin.rotate_client_secret(client_id) as client_secret
from admin.oauth_clients where tenant = 'acme' and label = 'Website';

-- Revoke a client permanently; its tokens stop working immediately
select admin.revoke_oauth_client(client_id) from admin.oauth_clients where tenant = 'acme' and label = 'Website no longer used';
