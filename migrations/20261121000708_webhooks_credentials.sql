-- Webhooks: what a delivery is sent with that nobody may read: secrets (webhooks), private keys, and values of headers. The worker alone is given them,
-- with what it is to send.
--
--   webhook_keys     the private keys of endpoints
--   webhook_headers  the values of headers that an endpoint's deliveries carry

create table private.webhook_keys (
  endpoint_id uuid        primary key references public.webhook_endpoints (id) on delete cascade,
  private_key text        not null,
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.webhook_keys is
  'Ed25519 keys that sign deliveries: one for each endpoint, so that what one is sent does not pass for what another is sent.';
comment on column private.webhook_keys.private_key is 'PKCS#8 in base64; webhook_endpoints.public_key is its other half.';

alter table private.webhook_keys enable row level security;

create table private.webhook_headers (
  endpoint_id uuid        primary key references public.webhook_endpoints (id) on delete cascade,
  headers     jsonb       not null check (jsonb_typeof(headers) = 'object'),
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.webhook_headers is 'Headers that deliveries of an endpoint carry, kept like secrets: they may let somebody in at the receiver.';
comment on column private.webhook_headers.headers is 'Values by name; webhook_endpoints.header_names has the names.';

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
  'What an endpoint''s deliveries are sent with at present: its secrets, newest first, its private key, and headers. For jobs alone.';

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
  'Gives a webhook of the tenant that has no private key this one. Its other half is in the row of the webhook.';

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
  'Gives the endpoint of a delivery this key pair, where it has none; gives the private key that it has. For jobs alone.';

grant execute on function app.keep_webhook_key(text, text, text) to worker;

create function app.set_webhook_headers(webhook_id uuid, headers jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  names constant text[] := array(select jsonb_object_keys(set_webhook_headers.headers) as name order by name);
begin
  update public.webhook_endpoints w set header_names = names
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface();
  if not found then
    return;
  end if;
  delete from private.webhook_headers h where h.endpoint_id = webhook_id;
  if cardinality(names) > 0 then
    insert into private.webhook_headers (endpoint_id, headers) values (webhook_id, set_webhook_headers.headers);
  end if;
end
$$;

comment on function app.set_webhook_headers(uuid, jsonb) is
  'Gives a webhook of the tenant these headers in place of those it had; none of them takes those away.';

grant execute on function app.set_webhook_headers(uuid, jsonb) to api;

create function private.drop_webhook_headers() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from private.webhook_headers h where h.endpoint_id = new.id;
  new.header_names := '{}';
  return new;
end
$$;

comment on function private.drop_webhook_headers() is
  'Trigger: values of headers are for the address that they were given for. Whoever moves a webhook may not know them, and could have them sent to an address of their own.';

create trigger webhook_endpoints_drop_headers before update of url on public.webhook_endpoints
  for each row when (old.url <> new.url and cardinality(old.header_names) > 0)
  execute function private.drop_webhook_headers();
