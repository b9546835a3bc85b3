-- Alerts that are on. No row: everything is fine
select alert, severity, since, rows, detail from monitor.alerts;

-- Create a login for your monitoring, which reads the schema monitor only. The result shows the password only once: copy it
select * from admin.create_monitor('placar_monitoring_2');

-- Remove such a login
select admin.drop_login('placar_monitoring_2');
