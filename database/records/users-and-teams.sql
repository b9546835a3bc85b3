-- Records: API representation of users and teams, and the events of users. The tables are in people.
--
-- The stored form of a record (app.user_record and similar) is built in one place; responses, lists and events are
-- rendered from it. It lists excluded columns, so that new columns are included by default.

create function app.user_record(u public.users) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select to_jsonb(u) - '{tenant_id,search,player_id,team_id}'::text[] || jsonb_build_object(
      'team', (
        select jsonb_build_object('id', t.id, 'name', t.name)
        from public.teams t where t.tenant_id = u.tenant_id and t.id = u.team_id
      ),
      'total_points', coalesce(p.total_points, 0),
      'ranking_tier', (
        select t.name from public.tiers t
        where t.tenant_id = u.tenant_id and t.min_points <= coalesce(p.total_points, 0)
        order by t.min_points desc limit 1
      )
    )
    from (values (1)) as always
    left join public.players p on p.tenant_id = u.tenant_id and p.id = u.player_id
  );
end
$$;

comment on function app.user_record(public.users) is
  'A user in stored form, with team and points; responses and events are rendered from it.';

grant execute on function app.user_record(public.users) to api;

create function app.team_record(t public.teams) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(t) - 'tenant_id' || jsonb_build_object(
    'leader_name', (select u.name from public.users u where u.tenant_id = t.tenant_id and u.id = t.leader_id),
    'member_count', (select count(*) from public.users u where u.tenant_id = t.tenant_id and u.team_id = t.id)
  );
end
$$;

comment on function app.team_record(public.teams) is 'A team in stored form, with its leader''s name and member count.';

grant execute on function app.team_record(public.teams) to api;

-- When users change (records/people.sql) ------------------------------------------------------------------------------------------

create function private.user_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', 'user.created', app.user_record(n) from new_rows n;
  elsif tg_op = 'DELETE' then
    insert into public.events (tenant_id, interface, type, data)
    select o.tenant_id, 'records', 'user.deactivated', app.user_record(o) || '{"status": "deactivated"}' from old_rows o;
  else
    insert into public.events (tenant_id, interface, type, changed, data)
    select n.tenant_id, 'records', change.type, array_replace(c.changed, 'team_id', 'team'), app.user_record(n)
    from new_rows n
    join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    -- Compares columns rather than stored forms, because a deleted team is missing from both. Derived columns and
    -- columns that do not count as a change are excluded.
    lateral (
      select private.changed_members(to_jsonb(o), to_jsonb(n), '{player_id, last_active_at, search, updated_at, external_ids}') as changed
    ) as c,
    lateral (values
      -- Any change without an event of its own.
      ('user.updated',     not c.changed <@ '{status}'
       or o.status <> n.status and n.status = 'invited'),
      ('user.activated',   o.status <> n.status and n.status = 'active'),
      ('user.deactivated', o.status <> n.status and n.status = 'deactivated')
    ) as change (type, happened)
    where change.happened;
  end if;
  return null;
end
$$;

comment on function private.user_events() is 'Trigger: writes the events of users.';

create trigger users_events_insert after insert on public.users
  referencing new table as new_rows
  for each statement execute function private.user_events();
create trigger users_events_update after update on public.users
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.user_events();
create trigger users_events_delete after delete on public.users
  referencing old table as old_rows
  for each statement execute function private.user_events();
