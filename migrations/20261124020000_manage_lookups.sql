-- The admin API: points of collaborators without a user, differences with providers, and warnings of accounts.

set local lock_timeout = '3s';

-- Points of a player ----------------------------------------------------------------------------------------------------

create view manage.provider_differences as
  select d.id, d.subject as name, d.found_at as created_at, d.account_id, d.resolved_at, json_build_object(
    'id', d.id::text, 'account_id', d.account_id, 'provider', a.provider, 'kind', d.kind, 'subject', d.subject, 'ours', d.ours,
    'theirs', d.theirs, 'found_at', app.format_utc(d.found_at), 'resolved_at', app.format_utc(d.resolved_at)) as record
  from public.provider_differences d
  join public.provider_accounts a on a.tenant_id = d.tenant_id and a.id = d.account_id
  where d.tenant_id = (select app.tenant_id());

comment on view manage.provider_differences is 'Unexplained differences with providers as the admin API shows them.';

create function manage.list_differences(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'provider_differences',
    private.search_in('v.name', page) || $c$ and ($1 ->> 'account_id' is null or v.account_id = $1 ->> 'account_id')$c$
      || case page ->> 'resolved' when 'true' then ' and v.resolved_at is not null' when 'false' then ' and v.resolved_at is null' else '' end,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_differences(jsonb) is 'A page of differences with providers; page as in manage.list_records, with account_id and resolved.';
