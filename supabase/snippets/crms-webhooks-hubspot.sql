-- HubSpot: the content of src/app/webhooks/webhooks-hsmeta.json in the project of your app. Again after you map custom fields.
select admin.crm_webhook_setup(id) from admin.crm_accounts where tenant = 'acme' and crm = 'hubspot' and webhook_state = 'by_hand';
