-- Connectors: what a move of a tenant does with their tables.

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values
('public.crm_accounts', 'copy', 'data of the tenant', null, null, '{}', false),
('public.crm_users', 'copy', 'data of the tenant', '{account_id,crm_id}', null, '{}', false),
('public.crm_stages', 'copy', 'data of the tenant', '{account_id,crm_id}', null, '{}', false),
('public.crm_activity_types', 'copy', 'data of the tenant', '{account_id,crm_type}', null, '{}', false),
('public.crm_links', 'copy', 'data of the tenant', '{account_id,kind,crm_id}', null, '{}', false),
('public.crm_differences', 'copy', 'data of the tenant', null, null, '{}', false),
('public.crm_runs', 'copy', 'runs go on at the destination', null, null, '{}', false),
('public.crm_preview_rows', 'renumber', 'ids are internal', '{run_id,kind,crm_id}', null, '{}', false),
('public.crm_events', 'renumber', 'ids are internal', '{account_id,event_id}', null, '{}', false),
('private.crm_pending', 'renumber', 'ids are internal', '{account_id,kind,crm_id,placar_id,due_at}', null, '{}', false),
('private.crm_creations', 'copy', 'data of the tenant', '{account_id,kind,placar_id}',
 't.account_id in (select a.id from public.crm_accounts a where a.tenant_id = $tenant)', '{}', false),
('private.crm_secrets', 'vault', 'credentials are in Vault, whose ids differ', '{account_id}',
 't.account_id in (select a.id from public.crm_accounts a where a.tenant_id = $tenant)', '{credentials,webhook_secret}', false),
('private.crm_seen', 'stay', 'a comparison begins again', null,
 't.run_id in (select r.id from public.crm_runs r where r.tenant_id = $tenant)', '{}', false),
('private.crms', 'stay', 'the same in every project', null, '', '{}', true);
