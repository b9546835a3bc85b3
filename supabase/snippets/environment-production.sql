-- Keys created from then on are sk_live_. Set APP_ENV=production for the functions as well.
select admin.set_environment(environment => 'production');
