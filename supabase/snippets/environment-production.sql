-- API keys created afterwards begin with sk_live_. Also set APP_ENV=production for the functions.
select admin.set_environment(environment => 'production');
