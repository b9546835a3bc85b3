-- Alerts that are on. No row: everything is fine
select alert, severity, since, rows, detail from monitor.alerts;

-- A login for your monitoring, which can read the schema monitor and nothing else. The password is shown once:
-- select * from admin.create_monitor();
-- select admin.drop_login('placar_monitoring');
