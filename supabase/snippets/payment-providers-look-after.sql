-- What providers told of, balances, and who takes what.
select * from admin.provider_events order by received_at desc limit 20;
select * from admin.provider_balances;
select * from admin.provider_routes;

-- Compares accounts with their provider now; what cannot be explained stays open in the second list.
select admin.reconcile_provider(id) from admin.provider_accounts where tenant = 'acme' and provider = 'asaas';
select * from admin.provider_differences where resolved_at is null order by found_at desc;

-- Cards of this tenant by Stripe before Asaas; an empty list goes back to the default.
select admin.set_provider_route('acme', 'charge', 'br', 'BRL', 'card', '{stripe,asaas}');
select admin.set_provider_route('acme', 'charge', 'br', 'BRL', 'card', '{}');

-- Takes no new orders; open ones are still followed.
select admin.disconnect_provider(id) from admin.provider_accounts where tenant = 'acme' and provider = 'wise';
