-- Payments: a job sets what was paid of invoices that were paid before Placar kept it.

set local lock_timeout = '3s';

insert into public.jobs (tenant_id, name, key, payload) values (null, 'fill-paid-members', 'once', '{}')
on conflict (name, key) do nothing;
