-- What the token endpoint of the records interface asks: one client with all that decides whether it gets a token and
-- what stands in it.

create function app.find_oauth_client(client_id text)
returns table (
  tenant_id   uuid,
  client_id   text,
  scopes      text[],
  variant     text,
  plan        text,
  revoked     boolean,
  secret_hash text
)
language sql stable security definer
set search_path = ''
as $$
  select c.tenant_id, c.client_id, c.scopes, c.variant, t.plan, c.revoked_at is not null, encode(s.secret_hash, 'hex')
  from public.oauth_clients c
  join public.tenants t on t.id = c.tenant_id
  join private.oauth_client_secrets s on s.oauth_client_id = c.id
  where c.client_id = find_oauth_client.client_id
$$;

comment on function app.find_oauth_client(text) is
  'The client with this id, revoked or not, its tenant''s plan and the SHA-256 of its secret in hex; the caller judges. Called before a tenant is known, so by the login role alone.';
