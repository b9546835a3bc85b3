-- Create a login for the functions, for DATABASE_URL, unless it exists; its name begins with placar_. The result shows the password only
-- once: copy it
select * from admin.create_login('placar_functions_2')
where not exists (select from pg_roles where rolname = 'placar_functions_2');
