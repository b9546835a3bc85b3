-- Webhooks: private keys and header values for deliveries. Like the secrets (webhooks), only the worker can read them.
--
--   webhook_keys     private keys of endpoints
--   webhook_headers  values of custom headers

create table private.webhook_keys (
  endpoint_id uuid        primary key references public.webhook_endpoints (id) on delete cascade,
  private_key text        not null,
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.webhook_keys is
  'Ed25519 keys that sign deliveries, one per endpoint, so that a delivery to one endpoint cannot be reused for another.';
comment on column private.webhook_keys.private_key is
  'Private key as PKCS#8 in base64; the public key is in webhook_endpoints.public_key.';

alter table private.webhook_keys enable row level security;

create table private.webhook_headers (
  endpoint_id uuid        primary key references public.webhook_endpoints (id) on delete cascade,
  headers     jsonb       not null check (jsonb_typeof(headers) = 'object'),
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.webhook_headers is
  'Custom headers of an endpoint''s deliveries, protected like secrets because they may authenticate at the receiver.';
comment on column private.webhook_headers.headers is 'Header values by name; webhook_endpoints.header_names lists the names.';

alter table private.webhook_headers enable row level security;

create function app.webhook_credentials(endpoint_id uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'secrets', to_jsonb(array(
      select s.secret from private.webhook_secrets s
      where s.endpoint_id = webhook_credentials.endpoint_id and coalesce(s.expires_at > now(), true)
      order by s.id desc
    )),
    'signing_key', (select k.private_key from private.webhook_keys k where k.endpoint_id = webhook_credentials.endpoint_id),
    'headers', (select h.headers from private.webhook_headers h where h.endpoint_id = webhook_credentials.endpoint_id)
  )
$$;

comment on function app.webhook_credentials(uuid) is
  'An endpoint''s current secrets (newest first), private key and headers (worker only).';

grant execute on function app.webhook_credentials(uuid) to worker;

create function app.set_webhook_key(webhook_id uuid, private_key text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.webhook_keys (endpoint_id, private_key)
  select w.id, set_webhook_key.private_key from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  on conflict (endpoint_id) do nothing;
end
$$;

comment on function app.set_webhook_key(uuid, text) is
  'Stores the private key of a tenant''s webhook if it has none; the public key is in the webhook''s row.';

grant execute on function app.set_webhook_key(uuid, text) to api;

create function app.keep_webhook_key(delivery_id text, private_key text, public_key text) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  endpoint uuid;
  kept     text;
begin
  select w.id into endpoint
  from public.webhook_deliveries d
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  where d.id = keep_webhook_key.delivery_id
  for no key update of w;
  if not found then
    return keep_webhook_key.private_key;
  end if;
  insert into private.webhook_keys as k (endpoint_id, private_key) values (endpoint, keep_webhook_key.private_key)
  on conflict (endpoint_id) do nothing;
  if found then
    update public.webhook_endpoints w set public_key = keep_webhook_key.public_key where w.id = endpoint;
  end if;
  select k.private_key into strict kept from private.webhook_keys k where k.endpoint_id = endpoint;
  return kept;
end
$$;

comment on function app.keep_webhook_key(text, text, text) is
  'Stores this key pair for a delivery''s endpoint if it has none and returns the endpoint''s private key (worker only).';

grant execute on function app.keep_webhook_key(text, text, text) to worker;

-- Replaced values of headers are recorded as replaced, without the values, by the trigger of the row that gets their names.
create function app.set_webhook_headers(webhook_id uuid, headers jsonb) returns text[]
language plpgsql security definer
set search_path = ''
as $$
declare
  known jsonb;
begin
  delete from private.webhook_headers h
  using public.webhook_endpoints w
  where h.endpoint_id = webhook_id and w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  returning h.headers into known;
  insert into private.webhook_headers (endpoint_id, headers)
  select w.id, set_webhook_headers.headers from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface() and set_webhook_headers.headers <> '{}';
  perform set_config('app.set_headers', webhook_id::text, true);
  if exists (select from jsonb_each(known) as k where set_webhook_headers.headers -> k.key <> k.value) then
    perform set_config('app.replaced_headers', webhook_id::text, true);
  end if;
  return array(select jsonb_object_keys(set_webhook_headers.headers) as name order by name);
end
$$;

comment on function app.set_webhook_headers(uuid, jsonb) is
  'Replaces the values of the custom headers of a tenant''s webhook and returns their names, for its row; an empty object removes them.';

grant execute on function app.set_webhook_headers(uuid, jsonb) to api;

create function private.drop_webhook_headers() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- The statement that changes the URL may set headers for it.
  if current_setting('app.set_headers', true) = new.id::text then
    perform set_config('app.set_headers', '', true);
    return new;
  end if;
  delete from private.webhook_headers h where h.endpoint_id = new.id;
  new.header_names := '{}';
  return new;
end
$$;

comment on function private.drop_webhook_headers() is
  'Trigger: deletes header values when the URL changes, so that they cannot be redirected to another receiver.';

create trigger webhook_endpoints_drop_headers before update of url on public.webhook_endpoints
  for each row when (old.url <> new.url and cardinality(old.header_names) > 0)
  execute function private.drop_webhook_headers();
