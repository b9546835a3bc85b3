drop index concurrently if exists public.collaborators_external_id_idx;
create index concurrently collaborators_external_id_idx on public.collaborators (tenant_id, external_id);
