-- Comes after the data of a backup: docs/operations/backup.md. The dump leaves the session without a search path.
set session_replication_role = origin;

-- Vault's secrets are not in a backup, and the address was that of the project before.
update private.deployment set sweep_url = null, sweep_token = null;

analyze;
