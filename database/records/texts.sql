-- Texts that people type and that are compared have one Unicode form (NFC), however they are written: `Operação` typed on a Mac can have
-- two code points for `ç`. The APIs compose what they receive; these triggers compose what is written by SQL. Records of the kinds of the
-- admin API are composed by private.check_name.

create function private.compose_texts() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  return jsonb_populate_record(
    new, private.composed((select jsonb_object_agg(m.key, m.value) from jsonb_each(to_jsonb(new)) as m where m.key = any (tg_argv))));
end
$$;

comment on function private.compose_texts() is 'Trigger: puts the columns that its arguments name into Unicode normalization form C.';

create trigger compose_texts before insert or update of name, company, position, source, tags on public.leads
  for each row when (concat_ws(' ', new.name, new.company, new.position, new.source, array_to_string(new.tags, ' ')) is not nfc normalized)
  execute function private.compose_texts('name', 'company', 'position', 'source', 'tags');

create trigger compose_texts before insert or update of name, company, contact_name, tags on public.deals
  for each row when (concat_ws(' ', new.name, new.company, new.contact_name, array_to_string(new.tags, ' ')) is not nfc normalized)
  execute function private.compose_texts('name', 'company', 'contact_name', 'tags');

create trigger compose_texts before insert or update of name on public.users
  for each row when (new.name is not nfc normalized) execute function private.compose_texts('name');

create trigger compose_texts before insert or update of name on public.teams
  for each row when (new.name is not nfc normalized) execute function private.compose_texts('name');

create trigger compose_texts before insert or update of name, team, role on public.collaborators
  for each row when (concat_ws(' ', new.name, new.team, new.role) is not nfc normalized)
  execute function private.compose_texts('name', 'team', 'role');

create trigger compose_texts before insert or update of conditions, actions on public.automations
  for each row when (not (new.conditions::text is nfc normalized and new.actions::text is nfc normalized))
  execute function private.compose_texts('conditions', 'actions');

create trigger compose_texts before insert or update of label on public.api_keys
  for each row when (new.label is not nfc normalized) execute function private.compose_texts('label');

create trigger compose_texts before insert or update of label on public.oauth_clients
  for each row when (new.label is not nfc normalized) execute function private.compose_texts('label');

create trigger compose_texts before insert or update of name on public.tenants
  for each row when (new.name is not nfc normalized) execute function private.compose_texts('name');
