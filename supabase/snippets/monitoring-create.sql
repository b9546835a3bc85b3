-- Create a login for your monitoring, unless it exists; it reads the schema monitor only, and its name begins with placar_. The result shows
-- the password only once: copy it
select * from admin.create_monitor('placar_monitoring_2')
where not exists (select from pg_roles where rolname = 'placar_monitoring_2');
