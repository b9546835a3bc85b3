-- Administration by the API: a plan for all combinations of filters cannot use the index of one of them, so a request id would be searched in
-- the whole log.

set local lock_timeout = '3s';

alter function manage.list_requests(jsonb) set plan_cache_mode = 'force_custom_plan';
alter function manage.list_changes(jsonb) set plan_cache_mode = 'force_custom_plan';
