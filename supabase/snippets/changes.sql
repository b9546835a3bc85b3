-- The audit trail: who changed the administration of a workspace, when and what
select at, actor_kind, actor_name, act, summary, reason, via, program
from admin.changes
where tenant = 'acme'
order by id desc
limit 100;

-- Everything that happened to one mission, API key or other subject, by its name
select at, actor_name, act, before, after
from admin.changes
where tenant = 'acme' and subject_name = 'Demo given'
order by id;
