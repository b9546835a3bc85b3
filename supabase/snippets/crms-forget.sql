-- Forget a disconnected CRM: its links, webhooks and differences are deleted. The records stay
select admin.forget_crm(id) from admin.crm_accounts where tenant = 'acme' and crm = 'pipedrive' and status = 'disconnected';
