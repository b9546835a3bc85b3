-- The table of leads with its indexes and policy, without triggers and foreign keys.
create table public.bare_leads (like public.leads including all);
alter table public.bare_leads enable row level security;
grant select, insert, update on public.bare_leads to api;
create policy "A tenant's own leads" on public.bare_leads to api using (tenant_id = (select app.tenant_id()));
