-- MCP: the scopes that a client has at the time of its request.

set local lock_timeout = '3s';

create function app.client_scopes(client_id text) returns text[]
language sql stable security definer
set search_path = ''
as $$
  select c.scopes from public.oauth_clients c
  where c.client_id = client_scopes.client_id and c.tenant_id = app.tenant_id()
$$;

comment on function app.client_scopes(text) is 'The scopes of an OAuth client of the tenant at the moment.';

revoke all on function app.client_scopes(text) from public;
grant execute on function app.client_scopes(text) to api;
