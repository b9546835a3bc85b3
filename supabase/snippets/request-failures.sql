-- Failed requests of the last 24 hours, with what to do about each
select at, method, path, status, reason, fields, caller, remedy, request_id
from admin.requests('acme', status => 'failed');

-- Requests of a day in a time zone
select at, method, path, status, caller
from admin.requests('acme', timestamptz '2026-11-22 00:00 America/Sao_Paulo', timestamptz '2026-11-23 00:00 America/Sao_Paulo');
