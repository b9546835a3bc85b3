-- Stop reading and writing at a CRM. Its webhooks are kept for 30 days
select admin.pause_crm(id) from admin.crm_accounts where tenant = 'acme' and crm = 'pipedrive';
