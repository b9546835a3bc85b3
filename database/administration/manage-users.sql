-- Administration through the API: what users may do after signing in.

create function app.access_of_user(user_id uuid, out access text, out scopes text[], out linked boolean)
language sql stable security definer
set search_path = ''
as $$
  select private.access_name(s.scopes), s.scopes,
         exists (select from private.user_accounts l where l.tenant_id = app.tenant_id() and l.user_id = access_of_user.user_id)
  from (select private.scopes_of_user(app.tenant_id(), access_of_user.user_id) as scopes) as s
$$;

comment on function app.access_of_user(uuid) is
  'What a user of the tenant may do: the preset (null if none has these scopes), the scopes, and whether the user is linked to an account of Auth.';

create function app.set_user_access(user_id uuid, scopes text[]) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Everyone has these. Beyond them, callers give and take only scopes of their own token.
  perform app.expect_own_scopes(array(
    select unnest(private.scopes_of_user(app.tenant_id(), user_id) || scopes) except select unnest(private.preset_scopes('seller'))), 'scope_not_own');
  perform private.store_user_access(app.tenant_id(), user_id, scopes);
end
$$;

comment on function app.set_user_access(uuid, text[]) is
  'Replaces what a user of the tenant may do. The caller must have each scope, before and after, but those of the preset seller.';

create function app.preset_scopes(preset text) returns text[]
language sql immutable security definer
set search_path = ''
as $$ select private.preset_scopes(preset) $$;

comment on function app.preset_scopes(text) is 'The scopes of a preset of access.';

grant execute on function app.access_of_user(uuid), app.set_user_access(uuid, text[]), app.preset_scopes(text) to manage;
