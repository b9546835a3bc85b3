-- Alerts that are on. No row: everything is fine
select alert, severity, since, rows, detail from monitor.alerts;
