set local lock_timeout = '3s';

alter table "public"."leads" add column "next_text" text;

create table "public"."lead_next_texts" (
  "tenant_id" uuid not null,
  "lead_id"   uuid not null,
  "next_text" text not null,
  constraint "lead_next_texts_pkey" primary key (tenant_id, lead_id),
  constraint "lead_next_texts_lead_fkey" foreign key (tenant_id, lead_id) references public.leads (tenant_id, id) on delete cascade
);

alter table "public"."lead_next_texts" enable row level security;

create or replace function app.environment() returns text
language sql stable security definer
set search_path = ''
as $$ select d.environment from private.deployment d /* of the next release */ $$;
