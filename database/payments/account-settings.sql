-- Payments: the settings of an account at each provider.

create function private.expect_object(argument text, value jsonb, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  unknown_member text;
begin
  if jsonb_typeof(value) is distinct from 'object' then
    perform private.refuse_argument(argument, 'must be a JSON object', allowed);
  end if;
  select key into unknown_member from jsonb_object_keys(value) as key where key <> all (allowed) limit 1;
  if found then
    perform private.refuse_argument(argument, format('"%s" is not a known setting', unknown_member), allowed);
  end if;
end
$$;

comment on function private.expect_object(text, jsonb, text[]) is
  'Rejects a value that is not a JSON object or has members other than these.';

create function private.expect_texts(argument text, value jsonb, names text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  wrong text;
begin
  select key into wrong from jsonb_each(value) as m (key, member)
  where key = any (names) and (jsonb_typeof(member) <> 'string' or btrim(member #>> '{}') = '') limit 1;
  if found then
    perform private.refuse_argument(format('%s.%s', argument, wrong), 'must be a non-empty string');
  end if;
end
$$;

comment on function private.expect_texts(text, jsonb, text[]) is
  'Rejects members with these names that are not non-empty strings.';

create function private.expect_asaas_settings(settings jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  tax constant text[] := '{iss,pis,cofins,csll,inss,ir,retain_iss,pis_cofins_cst,operation_pis,operation_cofins,nbs_code,tax_situation_code,tax_classification_code,operation_indicator_code}';
  service record;
  path    text;
begin
  perform private.expect_object('settings', settings,
            '{municipal_service_code,municipal_service_name,services,taxes,observations,deductions,customer_address,nbs_code_format}'),
          private.expect_texts('settings', settings, '{municipal_service_code,municipal_service_name,observations}');
  if settings ? 'services' then
    if jsonb_typeof(settings -> 'services') <> 'object' then
      perform private.refuse_argument('settings.services', 'must be an object that maps our service codes to the city''s {"code" or "id", "name", "taxes"}');
    end if;
    for service in select key, member from jsonb_each(settings -> 'services') as m (key, member) loop
      path := format('settings.services.%s', service.key);
      perform private.expect_object(path, service.member, '{code,id,name,taxes}'), private.expect_texts(path, service.member, '{code,id,name}');
      if not service.member ?| '{code,id}' then
        perform private.refuse_argument(path, 'must have "code" or "id" of the city''s service');
      end if;
      if service.member ? 'taxes' then
        perform private.expect_taxes(path || '.taxes', service.member -> 'taxes', tax);
      end if;
    end loop;
  end if;
  if settings ? 'taxes' then
    perform private.expect_taxes('settings.taxes', settings -> 'taxes', 'retainIss'::text || tax);
  end if;
  if settings ? 'deductions'
     and (jsonb_typeof(settings -> 'deductions') <> 'number' or (settings ->> 'deductions')::numeric < 0) then
    perform private.refuse_argument('settings.deductions', 'must be an amount in reais, at least 0');
  end if;
  if settings ? 'customer_address' then
    perform private.expect_one_of('settings.customer_address', settings ->> 'customer_address', '{optional,required}');
  end if;
  if settings ? 'nbs_code_format' then
    perform private.expect_one_of('settings.nbs_code_format', settings ->> 'nbs_code_format', '{digits,dotted}');
  end if;
end
$$;

comment on function private.expect_asaas_settings(jsonb) is 'Rejects settings that are invalid for Asaas tax documents.';

create function private.expect_wise_settings(settings jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_object('settings', settings, '{profile_id,source_currency}');
  if (settings ->> 'profile_id' ~ '^[0-9]{1,19}$') is not true then
    perform private.refuse_argument('settings.profile_id', 'must be the numeric id of a Wise profile');
  elsif (settings ->> 'source_currency' ~ '^[A-Z]{3}$') is not true then
    perform private.refuse_argument('settings.source_currency', 'must be the currency that payouts are paid from, such as EUR');
  end if;
end
$$;

comment on function private.expect_wise_settings(jsonb) is 'Rejects invalid settings of a Wise account.';
