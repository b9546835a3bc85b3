-- Administration by the API: a page of a list makes the records of this page only, not of the pages before it. A cursor of another list is
-- rejected.

set local lock_timeout = '3s';

create or replace function private.list_page(of_view text, condition text, sort text, page jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  answer jsonb;
begin
  -- Records can be costly, such as the position of a player, so the rows of the page are found first.
  execute format($sql$
    select jsonb_build_object('total', (select count(*) from manage.%1$I v where %2$s),
      'records', coalesce((
        select jsonb_agg(v.record order by p.place)
        from unnest(array(select v.%4$I from manage.%1$I v where %2$s order by %3$s
                          limit ($1 ->> 'limit')::integer offset ($1 ->> 'offset')::bigint)) with ordinality as p (key, place)
        join manage.%1$I v on v.%4$I = p.key), '[]'))
  $sql$, of_view, condition, sort, case of_view when 'activity_codes' then 'name' when 'cost_centers' then 'code' else 'id' end)
  into answer using page;
  return answer;
end
$$;

create or replace function manage.list_changes(filters jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own    constant uuid        := app.tenant_id();
  ends   constant timestamptz := coalesce(private.moment_of(own, 'to', filters ->> 'to'), 'infinity');
  begins constant timestamptz := coalesce(private.moment_of(own, 'from', filters ->> 'from'), '-infinity');
  most   constant integer     := coalesce((filters ->> 'limit')::integer, 50);
  actor   constant text       := private.folded(filters ->> 'actor');
  subject constant text       := private.folded(filters ->> 'subject');
  cursor constant text        := (select c.key from private.read_cursor(filters ->> 'after') c);
  since  bigint;
  answer jsonb;
begin
  -- Cursors of other lists have another key.
  if cursor !~ '^\d{1,18}$' then
    perform private.reject('validation', 'Fix these query parameters.', 'after', 'is not a cursor of this list');
  end if;
  since := cursor;
  with page as (
    select c.* from public.admin_changes c
    where c.tenant_id = own and c.at >= begins and c.at < ends and (since is null or c.id < since)
      and (filters ->> 'id' is null or c.id = (filters ->> 'id')::bigint)
      and (filters ->> 'act' is null or c.act = filters ->> 'act'
           or (filters ->> 'act' like '%.*' and starts_with(c.act, left(filters ->> 'act', -1))))
      and (actor is null or filters ->> 'actor' = c.actor_id or actor = private.folded(c.actor_name))
      and (subject is null or filters ->> 'subject' in (c.subject_kind, c.subject_id) or subject = private.folded(c.subject_name))
      and (filters ->> 'via' is null or c.via = filters ->> 'via')
      and (filters ->> 'request_id' is null or c.request_id = filters ->> 'request_id')
    order by c.id desc
    limit most + 1
  ), shown as (
    select * from page order by id desc limit most
  )
  select jsonb_build_object(
    'records', coalesce(jsonb_agg(json_build_object(
      'id', s.id::text, 'at', private.utc(s.at), 'transaction', s.transaction::text, 'via', s.via,
      'actor', json_build_object('kind', s.actor_kind, 'id', s.actor_id, 'name', s.actor_name),
      'on_behalf_of', s.on_behalf_of, 'program', s.program, 'act', s.act,
      'subject', json_build_object('kind', s.subject_kind, 'id', s.subject_id, 'name', s.subject_name),
      'before', s.before, 'after', s.after, 'reason', s.reason, 'summary', s.summary, 'request_id', s.request_id
    ) order by s.id desc), '[]'),
    'has_more', (select count(*) > most from page),
    'next_cursor', (select private.cursor_of(l.at, l.id::text) from shown l order by l.id limit 1))
  into answer from shown s;
  return answer;
end
$$;
