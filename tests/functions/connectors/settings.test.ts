// Settings of accounts at CRMs: each unknown member or value is refused by its name.
import { describe, expect, test } from 'vitest';
import { connectCrm, openDifferences, untilSettled } from '../../support/connectors.ts';
import { connectTo, refusalOf, withContact } from '../../support/crms/connected.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { createTenant } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();
const ask = (crm: string, credentials: unknown, settings: unknown = {}, tenant = 'nobody') =>
  sql`select admin.connect_crm(${tenant}, ${crm}, ${JSON.stringify(credentials)}, ${JSON.stringify(settings)}) as id`;
const TOKEN = '0123456789abcdef0123456789abcdef01234567';

describe.concurrent('settings', () => {
  test.each([
    [{ direction: 'out' }, 'settings.direction'],
    [{ direction: null }, 'settings.direction'],
    [{ conflict: ['crm'] }, 'settings.conflict'],
    [{ conflict: null }, 'settings.conflict'],
    [{ on_delete: 'forget' }, 'settings.on_delete'],
    [{ on_delete: null }, 'settings.on_delete'],
    [{ create_out: 'true' }, 'settings.create_out'],
    [{ create_out: null }, 'settings.create_out'],
    [{ pipelines: 'some' }, 'settings.pipelines'],
    [{ pipelines: [true] }, 'settings.pipelines'],
    [{ pipelines: null }, 'settings.pipelines'],
    [{ objects: 'leads' }, 'settings.objects'],
    [{ objects: ['lead'] }, 'settings.objects'],
    [{ objects: [null] }, 'settings.objects'],
    [{ objects: null }, 'settings.objects'],
    [{ fields: [] }, 'settings.fields'],
    [{ fields: null }, 'settings.fields'],
    [{ fields: { contact: {} } }, 'settings.fields'],
    [{ fields: { lead: [] } }, 'settings.fields.lead'],
    [{ fields: { lead: { email: 'x' } } }, 'settings.fields.lead.email'],
    [{ fields: { deal: { value: 'x' } } }, 'settings.fields.deal.value'],
    [{ fields: { lead: { 'custom_fields.cpf': 5 } } }, 'settings.fields.lead.custom_fields.cpf'],
    [{ fields: { lead: { 'custom_fields.': 'x' } } }, 'settings.fields.lead.custom_fields.'],
    [{ fields: { lead: { phone: '' } } }, 'settings.fields.lead.phone'],
    [{ colour: 'blue' }, 'settings.colour'],
    [[], 'settings'],
  ])('%j is refused by its name', async (settings, named) => {
    const { id } = await createTenant(sql);
    const words = await refusalOf(ask('pipedrive', { domain: 'acme', api_token: TOKEN }, settings, id));
    expect(words).toContain(named);
    expect(words).not.toContain('not refused');
    expect(await sql`select from crm_accounts where tenant_id = ${id}`).toHaveLength(0);
  });

  test('again: those that are named are replaced, the others stay', async () => {
    const { id } = await createTenant(sql);
    const first = { direction: 'both', pipelines: [1], fields: { lead: { phone: 'x' } } };
    const accountId = await connectCrm(sql, id, 'pipedrive', { domain: 'acme', api_token: TOKEN }, first);
    await connectCrm(sql, id, 'pipedrive', { domain: 'acme', api_token: TOKEN }, { direction: 'in' });
    const [account] = await sql`select settings from admin.crm_accounts where id = ${accountId}`;
    expect(account?.settings).toEqual({ ...first, direction: 'in', pipelines: ['1'] });
  });
});

describe.concurrent('settings that the admin API changes', () => {
  test('what is left out of a list or of the fields is not read any more; the same settings change nothing', async () => {
    const { id } = await createTenant(sql);
    const first = { objects: ['leads', 'deals'], fields: { lead: { phone: 'x', position: 'y' } } };
    const accountId = await connectCrm(sql, id, 'pipedrive', { domain: 'acme', api_token: TOKEN }, first);
    const set = async (settings: object) => {
      await sql`select private.set_crm_settings(${accountId}, ${JSON.stringify(settings)}::text::jsonb)`;
      const [account] =
        await sql`select settings, xmin::text as version from crm_accounts where id = ${accountId}`;
      return account;
    };
    const second = { objects: ['leads'], fields: { lead: { phone: 'x' } } };
    const changed = await set(second);
    expect(changed?.settings).toEqual(second);
    const defaults = {
      direction: 'in',
      conflict: 'crm',
      on_delete: 'keep',
      pipelines: 'all',
      create_out: false,
    };
    const same = await set({ ...second, ...defaults });
    expect(same?.settings).toEqual(second);
  });

  test('fields: the file for HubSpot subscribes to them', async () => {
    const acme = await connectTo(sql, hubspot);
    const fields = { lead: { 'custom_fields.cpf': 'cpf_do_cliente' } };
    await sql`select private.set_crm_settings(${acme.accountId}, ${JSON.stringify({ fields })}::text::jsonb)`;
    await waitFor(async () => {
      const [row] = await sql`select admin.crm_webhook_setup(${acme.accountId}) as setup`;
      return String(row?.setup).includes('cpf_do_cliente');
    });
  });

  test('direction: what was kept here is sent', async () => {
    const { acme, id } = await withContact(sql, pipedrive);
    await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await openDifferences(sql, acme)).length === 1);
    await sql`select private.set_crm_settings(${acme.accountId}, '{"direction": "both"}')`;
    await waitFor(async () => (await acme.there.contact(id)).name === 'Davi Nosso');
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });
});
