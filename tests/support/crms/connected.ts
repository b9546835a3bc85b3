/** Tenants with an account at any of the three fakes. */
import type postgres from 'postgres';
import { inject } from 'vitest';
import { addUser, type CrmTenant, connectCrm, finishRun, untilCrmIs, untilSettled } from '../connectors.ts';
import { createTenant } from '../database.ts';
import { waitFor } from '../wait-for.ts';
import { type CrmDriver, type CrmSide, only } from './driver.ts';
import { hubspot } from './hubspot.ts';
import { pipedrive } from './pipedrive.ts';
import { rdStation } from './rd-station.ts';

export const drivers: readonly CrmDriver[] = [pipedrive, hubspot, rdStation];

export interface Connected extends CrmTenant {
  driver: CrmDriver;
  there: CrmSide;
}

/** A new tenant with a new account, connected, active and with webhooks, but nothing imported. Ana is a user of both. */
export async function connectTo(
  sql: postgres.Sql,
  driver: CrmDriver,
  settings: object = {},
): Promise<Connected> {
  const tenant = await createTenant(sql);
  await addUser(sql, tenant);
  const { vendorId, credentials } = await driver.createAccount();
  const accountId = await connectCrm(sql, tenant.id, driver.crm, credentials, settings);
  await untilCrmIs(sql, accountId, 'active');
  if (driver.setUpWebhooks) {
    const [row] = await sql`select admin.crm_webhook_setup(${accountId}) as setup`;
    await driver.setUpWebhooks(vendorId, row?.setup);
  }
  return { ...tenant, accountId, vendorId, credentials, driver, there: driver.at(vendorId) };
}

/** Imports, and waits for the reconciliation that follows if records were left out. Nothing is left to do then. */
export async function importAll(sql: postgres.Sql, tenant: CrmTenant): Promise<postgres.Row> {
  const run = await finishRun(sql, tenant, 'import');
  await waitFor(async () => {
    const [account] = await sql`
      select last_reconciled_at from admin.crm_accounts where id = ${tenant.accountId}`;
    return account?.last_reconciled_at;
  });
  await untilSettled(sql, tenant);
  return run;
}

/** The lead that is linked with a contact, or undefined. */
export async function leadOf(sql: postgres.Sql, { accountId }: CrmTenant, crmId: string) {
  const [lead] = await sql`
    select l.*, k.state from crm_links k join leads l on l.tenant_id = k.tenant_id and l.id::text = k.placar_id
    where k.account_id = ${accountId} and k.kind = 'lead' and k.crm_id = ${crmId}`;
  return lead;
}

/** The deal that is linked with one there, or undefined. */
export async function dealOf(sql: postgres.Sql, { accountId }: CrmTenant, crmId: string) {
  const [deal] = await sql`
    select d.*, k.state, s.name as stage from crm_links k
    join deals d on d.tenant_id = k.tenant_id and d.id::text = k.placar_id
    join pipeline_stages s on s.id = d.stage_id
    where k.account_id = ${accountId} and k.kind = 'deal' and k.crm_id = ${crmId}`;
  return deal;
}

/** Waits until a record that is linked meets a condition. Returns it. */
export const untilLead = (
  sql: postgres.Sql,
  tenant: CrmTenant,
  crmId: string,
  meets: (lead: postgres.Row) => boolean = () => true,
): Promise<postgres.Row> =>
  waitFor(async () => {
    const lead = await leadOf(sql, tenant, crmId);
    return lead && meets(lead) && lead;
  });

export const untilDeal = (
  sql: postgres.Sql,
  tenant: CrmTenant,
  crmId: string,
  meets: (deal: postgres.Row) => boolean = () => true,
): Promise<postgres.Row> =>
  waitFor(async () => {
    const deal = await dealOf(sql, tenant, crmId);
    return deal && meets(deal) && deal;
  });

/** An administrator's rejected call: the words of the error. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    const answer = await call;
    return `not refused: ${JSON.stringify(answer)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Address for webhooks of an account, without a secret. */
export const callbackOf = ({ accountId, driver }: Pick<Connected, 'accountId' | 'driver'>): string =>
  `${inject('env').FUNCTIONS_URL}/callbacks/crm/${driver.crm}/${accountId}`;

/** A tenant with one contact that is imported. Nothing is left to do. */
export async function withContact(
  sql: postgres.Sql,
  driver: CrmDriver,
  settings: object = {},
): Promise<{ acme: Connected; id: string }> {
  const acme = await connectTo(sql, driver, settings);
  const id = only(await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true));
  await importAll(sql, acme);
  return { acme, id };
}
