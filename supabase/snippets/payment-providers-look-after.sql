-- Webhook events from providers, balances and routes.
select * from admin.provider_events order by received_at desc limit 20;
-- Balances at the providers
select * from admin.provider_balances;
-- Routes
select * from admin.provider_routes;

-- Reconcile an account with its provider now. The second query lists unexplained differences.
select admin.reconcile_provider(id) from admin.provider_accounts where tenant = 'acme' and provider = 'asaas';
-- Unresolved differences to the provider's statement
select * from admin.provider_differences where resolved_at is null order by found_at desc;

-- Route this tenant's card charges to Stripe before Asaas. An empty list restores the default.
select admin.set_provider_route('acme', 'charge', 'br', 'BRL', 'card', '{stripe,asaas}');
-- Return to the default
select admin.set_provider_route('acme', 'charge', 'br', 'BRL', 'card', '{}');
