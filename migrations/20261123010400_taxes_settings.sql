-- Taxes: the settings of an Asaas account.
set local lock_timeout = '3s';

create function private.expect_taxes(argument text, taxes jsonb, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  situations constant text[] := '{00,01,02,03,04,05,06,07,08,09,49,99}';
  cst        constant text   := taxes ->> 'pis_cofins_cst';
  wrong      record;
begin
  perform private.expect_object(argument, taxes, allowed);
  select m.key, p.problem into wrong
  from jsonb_each(taxes) as m (key, member)
  cross join lateral (select jsonb_typeof(m.member) as type, m.member #>> '{}' as value) as v
  cross join lateral (
    select case
      when m.key in ('retainIss', 'retain_iss') then case when v.type <> 'boolean' then 'must be true or false' end
      when m.key = 'pis_cofins_cst' then
        case when v.type <> 'string' or v.value <> all (situations) then 'must be one of ' || array_to_string(situations, ', ') end
      when m.key = 'nbs_code' then
        case when v.type <> 'string' or v.value !~ '^(\d{9}|\d\.\d{4}\.\d{2}\.\d{2})$' then 'must be 9 digits, or written like 1.2345.67.89' end
      when m.key ~ '_code$' then
        case when v.type <> 'string' or v.value !~ '^\d{1,10}$' then 'must be a string of 1 to 10 digits' end
      when v.type <> 'number' or v.value::numeric not between 0 and 100 or scale(trim_scale(v.value::numeric)) > 4
        then 'must be a percentage from 0 to 100 with at most 4 decimals'
      when m.key in ('operation_pis', 'operation_cofins') then
        case private.pis_cofins_rates(cst)
          when 'none' then 'must not be set with pis_cofins_cst ' || cst
          when 'zero' then case when v.value::numeric > 0 then 'must be 0 with pis_cofins_cst ' || cst end
          when 'above_zero' then case when v.value::numeric = 0 then 'must be above 0 with pis_cofins_cst ' || cst end
        end
    end as problem
  ) as p
  where p.problem is not null
  limit 1;
  if found then
    perform private.refuse_argument(argument || '.' || wrong.key, wrong.problem);
  elsif taxes ?& '{retainIss,retain_iss}' then
    perform private.refuse_argument(argument || '.retainIss', 'is the old name of retain_iss. Set only retain_iss');
  end if;
end
$$;

comment on function private.expect_taxes(text, jsonb, text[]) is
  'Rejects taxes with unknown members, invalid values, or rates that contradict their own CST.';

create or replace function private.expect_asaas_settings(settings jsonb) returns void
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
