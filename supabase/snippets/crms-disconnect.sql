-- Disconnect a CRM: its webhooks are removed there and its credentials deleted here. Records and links stay, so you can connect again
select admin.disconnect_crm(id) from admin.crm_accounts where tenant = 'acme' and crm = 'pipedrive';
