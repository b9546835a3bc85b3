-- Webhooks: what a delivery is sent with that nobody may read: secrets (webhooks) and private keys. The worker alone is given them,
-- with what it is to send.
--
--   webhook_keys  the private keys of endpoints

create table private.webhook_keys (
  endpoint_id uuid        primary key references public.webhook_endpoints (id) on delete cascade,
  private_key text        not null,
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.webhook_keys is
  'Ed25519 keys that sign deliveries: one for each endpoint, so that what one is sent does not pass for what another is sent.';
comment on column private.webhook_keys.private_key is 'PKCS#8 in base64; webhook_endpoints.public_key is its other half.';

alter table private.webhook_keys enable row level security;

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
    'signing_key', (select k.private_key from private.webhook_keys k where k.endpoint_id = webhook_credentials.endpoint_id)
  )
$$;

comment on function app.webhook_credentials(uuid) is
  'What an endpoint''s deliveries are signed with at present: its secrets, newest first, and its private key. For jobs alone.';

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
