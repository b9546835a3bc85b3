// Accounts whose CRM does not have all that Placar can use: it does without.
import { expect, test } from 'vitest';
import { connectCrm, finishRun, untilCrmIs } from '../../support/connectors.ts';
import { drivers } from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { createTenant } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';

const sql = connectAdmin();

const MISSING = {
  pipedrive: ['/api/v1/activityTypes', '/api/v1/users/me', '/api/v2/personFields', '/api/v2/deals/archived'],
  hubspot: ['/account-info/2026-09/details', '/crm/properties/*'],
  rd_station: ['/crm/v2/lost_reasons', '/crm/v2/custom_fields'],
};

test.concurrent.each(drivers)('$crm', async (driver) => {
  const tenant = await createTenant(sql);
  const { vendorId, credentials } = await driver.createAccount();
  const there = driver.at(vendorId);
  for (const path of MISSING[driver.crm])
    await there.fault({ kind: 'error_before', method: 'GET', status: 404, times: 1000, path, body: {} });
  const fields = { lead: { 'custom_fields.cor': 'cor' } };
  const accountId = await connectCrm(sql, tenant.id, driver.crm, credentials, { fields });
  await untilCrmIs(sql, accountId, 'active');
  const contact = only(await there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true));
  const deal = only(await there.addDeals([{ name: 'Website', value: 100, contact }], true));
  await there.close(deal, { status: 'lost', reason: 'Preço' });
  const run = await finishRun(sql, { ...tenant, accountId, vendorId, credentials }, 'import');
  expect(run).toMatchObject({ status: 'done', created: '2', failed: '0' });
  const [ours] = await sql`select status, loss_reason from deals where tenant_id = ${tenant.id}`;
  expect(ours).toEqual({ status: 'lost', loss_reason: driver.crm === 'rd_station' ? '-' : 'Preço' });
});
