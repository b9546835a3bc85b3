-- The admin API: points of collaborators without a user, differences with providers, and warnings of accounts.

set local lock_timeout = '3s';

-- Points of a player ----------------------------------------------------------------------------------------------------

create view manage.point_entries as
  select e.id, e.created_at, e.player_id, json_build_object(
    'id', e.id, 'points', e.points, 'reason', e.reason,
    'note', coalesce(e.note, case when e.reason = 'activity_voided' then (
      select a.void_reason from public.activities a where a.tenant_id = e.tenant_id and a.id = e.activity_id) end),
    'mission_id', e.mission_id,
    'mission_name', (select m.name from public.missions m where m.tenant_id = e.tenant_id and m.id = e.mission_id),
    -- Without the names of deals and leads, which this scope does not permit to read.
    'subject', coalesce(
      (select json_build_object('resource', 'activity', 'id', a.external_id, 'name', null)
       from public.activities a where a.tenant_id = e.tenant_id and a.id = e.activity_id),
      (select json_build_object('resource', case when l.deal_id is null then 'lead' else 'deal' end,
                                'id', coalesce(l.deal_id, l.lead_id), 'name', null)
       from public.deal_activities l
       where l.tenant_id = e.tenant_id and l.id = e.deal_activity_id and coalesce(l.deal_id, l.lead_id) is not null),
      (select json_build_object('resource', split_part(v.type, '.', 1), 'id', app.event_data(v) -> 'id', 'name', null)
       from public.events v
       where v.tenant_id = e.tenant_id and v.id = e.event_id and split_part(v.type, '.', 1) in ('deal', 'lead'))),
    'created_at', app.format_utc(e.created_at)) as record
  from public.point_entries e
  where e.tenant_id = (select app.tenant_id());

comment on view manage.point_entries is 'Point entries of the tenant as the API shows them.';

create function manage.list_player_points(ref text, page jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  given  constant uuid := case when pg_input_is_valid(ref, 'uuid') then ref::uuid end;
  player constant uuid := coalesce(
    (select u.player_id from public.users u where u.tenant_id = own and u.id = given),
    (select c.player_id from public.collaborators c where c.tenant_id = own and c.id = given));
begin
  if player is null then
    perform private.reject('not_found', 'There is no player with this id.');
  end if;
  return private.list_page(
    'point_entries',
    $c$v.player_id = ($1 ->> 'player')::uuid and $c$ || private.search_in($c$v.record ->> 'note'$c$, page),
    case when (page ->> 'descending')::boolean then 'v.created_at desc, v.id desc' else 'v.created_at, v.id' end,
    page || jsonb_build_object('player', player));
end
$$;

comment on function manage.list_player_points(text, jsonb) is
  'A page of the point entries of a user or collaborator; page as in manage.list_records.';

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
