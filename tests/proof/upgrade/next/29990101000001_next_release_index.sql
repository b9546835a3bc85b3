drop index concurrently if exists public.leads_next_text_idx;
create index concurrently leads_next_text_idx on public.leads using btree (tenant_id, next_text);
