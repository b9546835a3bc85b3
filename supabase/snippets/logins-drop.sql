-- End the sessions of a login of the functions or of monitoring and remove it, once nothing uses it (snippet logins)
select admin.drop_login(rolname) from pg_roles where rolname = 'placar_functions_no_longer_used';
