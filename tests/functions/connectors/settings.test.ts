// Settings of accounts at CRMs: each unknown member or value is refused by its name.
import { describe, expect, test } from 'vitest';
import { connectCrm } from '../../support/connectors.ts';
import { refusalOf } from '../../support/crms/connected.ts';
import { createTenant } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';

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
    [{ pipelines: [5] }, 'settings.pipelines'],
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
    const first = { direction: 'both', pipelines: ['1'], fields: { lead: { phone: 'x' } } };
    const accountId = await connectCrm(sql, id, 'pipedrive', { domain: 'acme', api_token: TOKEN }, first);
    await connectCrm(sql, id, 'pipedrive', { domain: 'acme', api_token: TOKEN }, { direction: 'in' });
    const [account] = await sql`select settings from admin.crm_accounts where id = ${accountId}`;
    expect(account?.settings).toEqual({ ...first, direction: 'in' });
  });
});
