drop index concurrently if exists public.leads_website_idx;
create index concurrently leads_website_idx on public.leads using btree (tenant_id, website);
