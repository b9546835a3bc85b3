-- Stop new orders on an account; open orders are completed.
select admin.disconnect_provider(id) from admin.provider_accounts where tenant = 'acme' and provider = 'wise';
