-- Jobs: emails. The texts in both languages are in shared/platform/mail/mails.ts; the row of a job `send-mail` contains
-- the email's name and the values for its text.

create function private.send_mail(tenant_id uuid, key text, recipient text, mail text, "values" jsonb) returns void
language sql
set search_path = ''
as $$
  insert into public.jobs (tenant_id, name, key, payload)
  select t.id, 'send-mail', send_mail.key,
         jsonb_build_object('to', recipient, 'mail', mail, 'language', t.language,
                            'values', jsonb_build_object('tenant', t.name) || "values")
  from public.tenants t
  where t.id = send_mail.tenant_id and btrim(recipient) <> ''
  on conflict (name, key) do nothing
$$;

comment on function private.send_mail(uuid, text, text, text, jsonb) is
  'Schedules an email in the tenant''s language, once per key; does nothing without a recipient.';

create function private.mail_owner(tenant_id uuid, key text, mail text, "values" jsonb) returns void
language sql
set search_path = ''
as $$
  select private.send_mail(t.id, mail_owner.key, t.owner_email, mail, "values")
  from public.tenants t
  where t.id = mail_owner.tenant_id
$$;

comment on function private.mail_owner(uuid, text, text, jsonb) is
  'Schedules an email to the tenant''s owner; does nothing if the tenant has no owner address.';
