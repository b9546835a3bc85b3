-- Run after restoring the data of a backup: docs/operations/backup.md. The dump leaves the session without a search path.
set session_replication_role = origin;

-- Vault secrets are not part of a backup, and the URL is that of the old project.
update private.deployment set sweep_url = null, sweep_token = null;

analyze;
