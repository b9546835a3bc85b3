-- Administration by MCP: the scopes that a client has at the time of its request, and payouts that clients request. These always wait for
-- approval, at most 20 of a tenant at a time.

create function app.scopes_of_caller(kind text, id text) returns text[]
language sql stable security definer
set search_path = ''
as $$
  select case kind
    when 'client' then (select c.scopes from public.oauth_clients c where c.client_id = scopes_of_caller.id and c.tenant_id = app.tenant_id())
    when 'person' then private.scopes_of_user(app.tenant_id(), id::uuid)
  end
$$;

comment on function app.scopes_of_caller(text, text) is 'The scopes of a client or person of the tenant at the moment.';

revoke all on function app.scopes_of_caller(text, text) from public;
grant execute on function app.scopes_of_caller(text, text) to api;

-- Requested payouts -----------------------------------------------------------------------------------------------------

create function private.check_requested_payout_limit() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  allowed constant integer := 20;
begin
  -- Serializes concurrent requests, so that each counts the payouts of the others.
  perform pg_advisory_xact_lock(hashtextextended('requested payouts ' || new.tenant_id, 0));
  if allowed <= (
    select count(*) from public.payouts p
    where p.tenant_id = new.tenant_id and p.status in ('creating', 'created') and p.approval = 'waiting'
      and p.requested_by ->> 'kind' in ('client', 'person')
  ) and app.only_requests_payouts() then
    raise exception 'requested_payouts_waiting' using errcode = 'PL435', detail = allowed;
  end if;
  return new;
end
$$;

comment on function private.check_requested_payout_limit() is 'Raises PL435 if too many payouts that clients and persons requested wait for approval.';

create trigger limit_requested_payouts before insert on public.payouts for each row
  when (new.approval = 'waiting' and new.requested_by ->> 'kind' in ('client', 'person'))
  execute function private.check_requested_payout_limit();
