-- Payments: a job sets the paid amount of invoices that were paid before these columns existed.

set local lock_timeout = '3s';

insert into public.jobs (tenant_id, name, key, payload) values (null, 'fill-paid-members', 'once', '{}')
on conflict (name, key) do nothing;
