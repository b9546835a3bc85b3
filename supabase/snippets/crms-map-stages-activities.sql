-- Stages of the CRM. Without mapped_to, the stage with the same name is used; an empty stage_id means that there is none.
select a.crm, c.pipeline_name, c.crm_id, c.name, c.closes, c.mapped_to, c.stage_id
from admin.crm_stages c join admin.crm_accounts a on a.id = c.account_id
where a.tenant = 'acme' and c.is_present order by a.crm, c.pipeline_name, c.crm_id;

-- Map a stage of the CRM to a stage here. null instead of s.id removes the mapping
select admin.map_crm_stage(a.id, c.crm_id, s.id)
from admin.crm_accounts a
join admin.crm_stages c on c.account_id = a.id and c.name = 'Proposta enviada'
join admin.stages s on s.tenant = a.tenant and s.name = 'Proposal'
where a.tenant = 'acme' and a.crm = 'pipedrive';

-- Types of activities and their codes. Types without a code are not read
select a.crm, t.crm_type, t.code from admin.crm_activity_types t join admin.crm_accounts a on a.id = t.account_id where a.tenant = 'acme';

-- Count done calls as activities with the code 001. null instead of '001': they are not read any more
select admin.map_crm_activity(id, 'call', '001') from admin.crm_accounts where tenant = 'acme' and crm = 'pipedrive';
