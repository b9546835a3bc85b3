-- RD Station CRM: a link that works once within ten minutes. Open it while signed in to RD Station, and agree.
select admin.authorize_crm(id) from admin.crm_accounts where tenant = 'acme' and crm = 'rd_station';
