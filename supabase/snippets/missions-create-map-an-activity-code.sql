-- Create a mission, unless it exists
select admin.create_mission('acme', 'Demo given', 50)
where not exists (select from admin.missions where tenant = 'acme' and name = 'Demo given');

-- Map a code to it. Activities that are already recorded count too; running it again changes nothing
select admin.map_activity_code('acme', '010', 'Demo given');
