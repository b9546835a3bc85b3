-- Delete a disconnected CRM with its links, webhooks and differences. The records stay
select admin.forget_crm(id) from admin.crm_accounts where tenant = 'acme' and crm = 'pipedrive' and status = 'disconnected';
