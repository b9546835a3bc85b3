-- The export of a person contains no events of leads and deals that they only own, whose data is that of other persons.

set local lock_timeout = '3s';

create or replace function private.export_person(tenant_id uuid, email text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  address constant text := lower(btrim(email));
  emails  constant text[] := private.emails_of_person(tenant_id, address);
  found_  jsonb;
  ids     text[];
  result  jsonb := jsonb_build_object('email', address);
  item    record;
  rows_   jsonb;
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('email', email);
  select coalesce(jsonb_object_agg(kind, of_kind), '{}'), coalesce(array_agg(distinct one), '{}')
  into found_, ids
  from (
    select r.kind, array_agg(distinct r.id) as of_kind
    from unnest(emails) as a (email), private.records_of_person(export_person.tenant_id, a.email) r group by r.kind
  ) as k, unnest(k.of_kind) as one;

  -- First the person's own rows, then rows that reference them.
  for item in
    select * from (values
      ('players', 'id', 'players'), ('users', 'id', 'users'), ('collaborators', 'id', 'collaborators'), ('leads', 'id', 'leads'),
      ('merged_leads', 'lead_id', 'merged_leads'), ('deals', 'id', 'deals'), ('deal_activities', 'id', 'deal_activities'), ('invoices', 'id', 'invoices'),
      ('payouts', 'id', 'payouts'), ('invitations', 'user_id', 'users'), ('activities', 'collaborator_id', 'collaborators'),
      ('point_entries', 'player_id', 'players'), ('earned_badges', 'player_id', 'players'),
      ('completed_challenges', 'player_id', 'players'), ('tax_documents', 'invoice_id', 'invoices'),
      ('refunds', 'id', 'refunds'), ('disputes', 'invoice_id', 'invoices')
    ) as t (name, by_column, kind)
  loop
    execute format(
      'select coalesce(jsonb_agg(to_jsonb(t) - $3), ''[]'') from public.%I t where t.tenant_id = $1 and t.%I::text = any ($2)',
      item.name, item.by_column)
    into rows_
    using export_person.tenant_id, array(select jsonb_array_elements_text(coalesce(found_ -> item.kind, '[]'))),
          '{tenant_id,search,token_hash,public_token}'::text[];
    result := result || jsonb_build_object(item.name, rows_);
  end loop;

  -- Records that the person only owns are about somebody else.
  select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'data', app.event_data(e), 'created_at', e.created_at) order by e.id), '[]')
  into rows_
  from public.events e where e.tenant_id = export_person.tenant_id and exists (
    select from unnest(emails) as a (email) where private.is_about(app.event_data(e) - '{owner_id,leader_id}'::text[], a.email, ids)
  );
  return result || jsonb_build_object('events', rows_);
end
$$;
