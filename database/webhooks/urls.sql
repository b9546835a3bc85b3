-- Webhooks: allowed destinations. The interfaces check URLs themselves for better errors and before resolving names
-- (shared/webhooks/delivery/destinations.ts). These triggers enforce the same rules for every writer, as far as possible without
-- resolving names; a test compares both implementations.

create function private.webhook_host(url text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  host     constant text := rtrim(lower(substring(url from '^[A-Za-z]+://(\[[^]/?#]*\]|[^:/?#]*)')), '.');
  bracketed constant text := substring(host from '^\[(.*:.*)\]$');
begin
  -- Normalizes the spelling of IPv6 addresses.
  if pg_input_is_valid(bracketed, 'inet') then
    return host(bracketed::inet);
  end if;
  return host;
end
$$;

comment on function private.webhook_host(text) is
  'Normalized host of a URL, without port and IPv6 brackets; limits per host use it.';

create function private.webhook_address(url text) returns text
language sql stable
set search_path = ''
as $$
  select lower(part[1]) || '://' || private.webhook_host(url)
      || coalesce(nullif(part[2], case lower(part[1]) when 'https' then ':443' else ':80' end), '')
      || coalesce(nullif(part[3], ''), '/')
  from regexp_match(url, '^(https?)://(?:\[[^]]*\]|[^:/?#]*)(:[0-9]+)?([^#]*)', 'i') as part
$$;

comment on function private.webhook_address(text) is 'Normalized URL of a webhook, to detect duplicates.';

create function private.reserved_networks() returns cidr[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array[
    -- IPv4: this network, private, shared, link-local, protocols, documentation, relays, benchmarks, multicast,
    -- reserved.
    '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
    '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15',
    '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
    -- Cloud-internal: Azure's host and IBM Cloud services.
    '168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14',
    -- IPv6: everything except 2000::/3, and within it protocols, documentation, 6to4, AS112.
    '::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'
  ]::cidr[]
$$;

comment on function private.reserved_networks() is
  'Reserved networks that webhooks cannot use, except loopback, which depends on the environment.';

create function private.reserved_names() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array['internal', 'local', 'metadata', 'instance-data', 'metadata.goog', 'metadata.packet.net', 'metadata.tencentyun.com']
$$;

comment on function private.reserved_names() is
  'Names of cloud metadata services and private networks; webhooks cannot use these or their subdomains.';

create function private.refused_destination(url text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  production constant boolean := app.environment() = 'production';
  host       constant text    := private.webhook_host(url);
  port       constant text    := substring(url from '^[A-Za-z]+://(?:\[[^]]*\]|[^:/?#]*):([0-9]+)');
  octet      constant text    := '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
  loopback   boolean;
begin
  if url ~* '^https?://[^/?#]*@' then
    return 'must not contain credentials';
  elsif url !~* (case when production then '^https://' else '^https?://' end) then
    return format('"%s" must begin with https://', url);
  elsif port::numeric > 65535 then
    return format('%s is not a valid port', port);
  elsif exists (select from unnest(private.reserved_names()) as name where host = name or right(host, length(name) + 1) = '.' || name) then
    return format('"%s" is the name of a private network or a cloud metadata service', host);
  end if;

  loopback := host = 'localhost' or host like '%.localhost';
  if host ~ '^\[' then
    return format('"%s" is not a valid IP address', host);
  elsif host like '%:%' or host ~ format('^(%s\.){3}%s$', octet, octet) then
    loopback := host::inet <<= '127.0.0.0/8' or host::inet = '::1';
    if not loopback and host::inet <<= any (private.reserved_networks()) then
      return format('"%s" is a private or otherwise reserved address', host);
    end if;
  elsif host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    return format('"%s" must be written as four decimal numbers with dots', host);
  end if;
  if loopback and production then
    return format('"%s" is a loopback address', host);
  end if;
  return null;
end
$$;

comment on function private.refused_destination(text) is
  'Why a URL is not allowed as a destination, checked without resolving names; null if allowed (http and loopback only outside production).';
