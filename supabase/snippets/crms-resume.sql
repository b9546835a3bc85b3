-- Continue with a paused CRM. What its webhooks reported meanwhile is read
select admin.resume_crm(id) from admin.crm_accounts where tenant = 'acme' and crm = 'pipedrive';
