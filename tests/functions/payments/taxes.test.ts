// Taxes of NFS-e: merged from request and settings, by dated rules. All tests with the regime `normal` are in this file, because the
// dated rules are the same for all tenants.
import { afterEach, describe, expect, test } from 'vitest';
import { createTenant } from '../../support/database.ts';
import { inTransaction } from '../../support/gamification/gamification.ts';
import { type AsaasTenantOptions, connectAsaasTenant, sent } from '../../support/payments/asaas-tenant.ts';
import { connectAdmin, untilAccount } from '../../support/payments/connected-tenant.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  faultsOf,
  get,
  NFSE,
  paidInvoice,
  payInvoice,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { TAX_CODES as CODES, invoice, pay } from '../../support/payments/payments.ts';
import { sweepNow } from '../../support/sweep.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

const STANDARD = { pis_cofins_cst: '01', operation_pis: 0.65, operation_cofins: 3 };
const VENDOR_CODES = {
  nbsCode: '115021000',
  taxSituationCode: '000',
  taxClassificationCode: '000001',
  operationIndicatorCode: '100301',
};
const ADDRESS = { line1: 'Rua A', number: '1', district: 'Centro', postal_code: '01001-000' };

const setRules = (pisCofins: [string | null, string | null], ibsCbs: [string | null, string | null]) => sql`
  select admin.set_fiscal_rule('normal', 'pis_cofins', ${pisCofins[0]}, ${pisCofins[1]}),
         admin.set_fiscal_rule('normal', 'ibs_cbs', ${ibsCbs[0]}, ${ibsCbs[1]})`;
const resetRules = () => setRules(['2026-06-30', '2026-06-30'], ['2026-01-01', '2026-10-01']);
afterEach(async () => {
  await resetRules();
  await sql`select admin.set_fiscal_rule('simples', 'ibs_cbs', '2027-01-01', '2027-01-01')`;
});

const normal = (settings = {}, options: AsaasTenantOptions['options'] = {}) =>
  connectAsaasTenant(sql, { settings, options: { simplesNacional: false, ...options } });
const taxed = (taxes?: object, autoIssue: boolean | undefined = true) =>
  invoice({ tax_document: { auto_issue: autoIssue, ...NFSE, taxes } });
const eventsOf = async (id: string) =>
  (await sql`select type from events where data ->> 'id' = ${id}`).map(({ type }) => type);

async function sandboxTenant(regime: string) {
  const tenant = await createPayTenant(sql);
  await sql`select admin.set_sandbox_tax_regime(${tenant.id}, ${regime})`;
  return tenant;
}

describe('taxes sent to Asaas', () => {
  test('document before service before account; rates of another level are dropped with a CST without rates', async () => {
    const tenant = await normal({
      taxes: { retainIss: true, iss: 2, ...STANDARD, ...CODES },
      services: { '01.07': { code: '1.07', taxes: { iss: 5, csll: 1 } } },
    });
    const { id } = await createInvoice(tenant.apiKey);
    const document = bodyOf(
      await pay(tenant.apiKey, `/invoices/${id}/tax-documents`, {
        ...NFSE,
        taxes: { pis_cofins_cst: '07', csll: 0.5, tax_situation_code: '200', iss: null },
      }),
      202,
    );
    const path = `/invoices/${id}/tax-documents/${document.id}`;
    const issued = await untilStatus(tenant.apiKey, path, 'issued');
    const [request] = await sent(tenant, 'POST', '/invoices');
    expect(request.body.taxes).toEqual({
      ...{ retainIss: true, iss: 5, pis: 0, cofins: 0, csll: 0.5, inss: 0, ir: 0 },
      ...{ pisCofinsTaxStatus: 'EXEMPT_CONTRIBUTION_OPERATION', operationPis: null, operationCofins: null },
      ...VENDOR_CODES,
      taxSituationCode: '200',
    });
    expect(request.body).not.toHaveProperty('updatePayment');
    expect([document.taxes, issued.taxes]).toEqual([
      null,
      {
        ...{ state_ibs_percent: 0.1, state_ibs_amount: 10 },
        ...{ municipal_ibs_percent: 0, municipal_ibs_amount: 0 },
        ...{ cbs_percent: 0.9, cbs_amount: 90 },
      },
    ]);
  });

  test('no PIS, COFINS, IBS and CBS in Simples Nacional before their date', async () => {
    const tenant = await connectAsaasTenant(sql, {
      settings: { taxes: { iss: 2, ...STANDARD, ...CODES } },
      options: { simplesNacional: true },
    });
    await sql`select admin.set_fiscal_rule('simples', 'ibs_cbs', '2999-01-01', '2999-01-01')`;
    const { id } = await createInvoice(tenant.apiKey, { tax_document: { auto_issue: true, ...NFSE } });
    await tenant.payment(id, 'pay');
    await waitFor(async () => (await sent(tenant, 'POST', '/invoices')).length === 1);
    const [request] = await sent(tenant, 'POST', '/invoices');
    expect(request.body.taxes).toEqual({
      ...{ retainIss: false, iss: 2, pis: 0, cofins: 0, csll: 0, inss: 0, ir: 0 },
    });
  });
});

describe('missing taxes', () => {
  const MISSING = [
    'pis_cofins_cst',
    'nbs_code',
    'tax_situation_code',
    'tax_classification_code',
    'operation_indicator_code',
  ];
  const named = (at: string) => MISSING.map((member) => `${at}.${member}`);

  test('422 names each member before any order; sent by the caller, or without the rule, it succeeds', async () => {
    const tenant = await normal();
    const send = (body: object) => pay(tenant.apiKey, '/invoices', body);
    const missing = async (body: object) => faultsOf(await send(body), 422, 'validation_error');
    for (const autoIssue of [true, false, undefined]) {
      expect(await missing(taxed(undefined, autoIssue))).toEqual(named('tax_document.taxes'));
      expect(await missing(taxed({ pis_cofins_cst: '02', ...CODES }, autoIssue))).toEqual([
        'tax_document.taxes.operation_pis',
        'tax_document.taxes.operation_cofins',
      ]);
    }
    const yesterday = { type: 'pix', due_date: '2026-01-01' };
    expect(await missing({ ...taxed(), amount: 1, payment_method: yesterday })).toEqual([
      ...['payment_method.due_date', 'amount', ...named('tax_document.taxes')],
    ]);
    const wrong = ['customer.email', 'tax_document.taxes.iss'];
    const customer = { ...invoice().customer, email: 'maria' };
    expect(await missing({ ...taxed({ iss: 101 }), customer })).toEqual([
      ...wrong,
      ...named('tax_document.taxes'),
    ]);
    const { id } = await createInvoice(tenant.apiKey);
    const document = (taxes?: object) =>
      pay(tenant.apiKey, `/invoices/${id}/tax-documents`, { ...NFSE, taxes });
    expect(faultsOf(await document(), 422, 'validation_error')).toEqual(named('taxes'));
    expect(faultsOf(await document({ iss: 101 }), 422, 'validation_error')).toEqual([
      'taxes.iss',
      ...named('taxes'),
    ]);
    expect(await sent(tenant, 'POST', '/payments')).toHaveLength(1);
    expect(await sent(tenant, 'POST', '/invoices')).toHaveLength(0);
    expect(await sql`select from invoices where tenant_id = ${tenant.id}`).toHaveLength(1);
    bodyOf(await document({ ...STANDARD, ...CODES }), 202);
    await setRules([null, null], [null, null]);
    bodyOf(await send(taxed()), 201);
  });

  test('a rule that comes into force before the document is issued makes it fail', async () => {
    await setRules([null, null], [null, null]);
    const { apiKey } = await sandboxTenant('normal');
    const { id } = await createInvoice(apiKey, {
      tax_document: { auto_issue: true, ...NFSE, taxes: STANDARD },
    });
    await resetRules();
    await payInvoice(apiKey, id);
    const { tax_document: document } = await get(apiKey, `/invoices/${id}`);
    const failed = await untilStatus(apiKey, `/invoices/${id}/tax-documents/${document.id}`, 'failed');
    expect(failed.failure_reason).toMatch(
      /^taxes\.nbs_code is required since 2026-10-01 .*; taxes\.tax_situation_code /,
    );
    expect(await eventsOf(document.id)).toEqual(['tax_document.failed']);
  });

  test('rules count by the day on which the provider issues: from midnight in São Paulo also for tenants west of it', async () => {
    const days = await sql`
      select private.issue_day('America/Manaus', '2027-01-01T02:59:59Z')::text as before,
             private.issue_day('America/Manaus', '2027-01-01T03:00:00Z')::text as after,
             private.issue_day('America/Noronha', '2027-01-01T02:00:00Z')::text as east`;
    expect([...days]).toEqual([{ before: '2026-12-31', after: '2027-01-01', east: '2027-01-01' }]);
    const { id, accountId } = await normal();
    await sql`update tenants set time_zone = 'Etc/GMT+12' where id = ${id}`;
    const [{ today = '' } = {}] = await sql`select private.issue_day('Etc/GMT+12', now())::text as today`;
    await setRules([null, null], [today, today]);
    const [row] = await sql`
      select app.tax_order(${id}, ${accountId}, '1.01', null) -> 'faults' as faults from set_config('role', 'worker', true)`;
    expect(row?.faults).toHaveLength(4);
  });

  test("issuing again uses the taxes of the invoice's request, or its own", async () => {
    const { apiKey } = await sandboxTenant('normal');
    const { id } = await paidInvoice(apiKey, {
      tax_document: { ...NFSE, service_code: '99.99', auto_issue: true, taxes: { ...STANDARD, ...CODES } },
    });
    const { tax_document: first } = await get(apiKey, `/invoices/${id}`);
    await untilStatus(apiKey, `/invoices/${id}/tax-documents/${first.id}`, 'failed');
    const path = `/invoices/${id}/tax-documents`;
    expect(faultsOf(await pay(apiKey, path, { ...NFSE, taxes: {} }), 422, 'validation_error')).toContain(
      'taxes.nbs_code',
    );
    const { id: again } = bodyOf(await pay(apiKey, path, NFSE), 202);
    const issued = await untilStatus(apiKey, `${path}/${again}`, 'issued');
    expect(await (await fetch(issued.xml_url)).text()).toContain('<cNBS>115021000</cNBS>');
  });

  test('unknown regime: all set taxes are sent, and none is required', async () => {
    const tenant = await normal({ taxes: { nbs_code: '115021000' } }, { simplesNacional: null });
    const { id } = await createInvoice(tenant.apiKey);
    bodyOf(await pay(tenant.apiKey, `/invoices/${id}/tax-documents`, NFSE), 202);
    await waitFor(async () => (await sent(tenant, 'POST', '/invoices')).length === 1);
    const [request] = await sent(tenant, 'POST', '/invoices');
    expect(request.body.taxes).toMatchObject({ nbsCode: '115021000' });
    const [account] =
      await sql`select tax_regime, warnings from admin.provider_accounts where id = ${tenant.accountId}`;
    expect(account).toEqual({ tax_regime: 'unknown', warnings: [] });
  });
});

test('the message of Asaas and of the city is the reason, once', async () => {
  const tenant = await connectAsaasTenant(sql, {
    options: { invoices: 'error', invoiceError: 'E0312: código não administrado.' },
  });
  const failed = async (fault?: () => Promise<unknown>) => {
    const { id } = await createInvoice(tenant.apiKey);
    await fault?.();
    const path = `/invoices/${id}/tax-documents`;
    const document = bodyOf(await pay(tenant.apiKey, path, NFSE), 202);
    const { failure_reason: reason } = await untilStatus(tenant.apiKey, `${path}/${document.id}`, 'failed');
    expect(await eventsOf(document.id)).toEqual(['tax_document.failed']);
    return reason;
  };
  expect(await failed()).toBe('E0312: código não administrado.');
  // Required by the fake but not by our rules.
  const required = () =>
    tenant.control.options(tenant.asaasId, { ibsCbsRequiredFrom: { simples: '2026-01-01' } });
  expect(await failed(required)).toMatch(
    /^O campo taxes\.nbsCode é obrigatório .*\.; O campo taxes\.taxSituationCode é obrigatório/,
  );
});

test('in the sandbox a tenant is in Simples Nacional, whose dates are rules', async () => {
  const { id } = await createTenant(sql);
  const required = async (day: string) => {
    let members: string[] = [];
    await inTransaction(sql, async (tx) => {
      await tx`select admin.set_fiscal_rule('simples', 'ibs_cbs', ${day}, ${day})`;
      await tx`set local role worker`;
      const [row] = await tx`select app.tax_order(${id}, null, '1.01', '{"nbs_code": "115021000"}') as found`;
      members = row?.found.faults.map(({ member }: { member: string }) => member);
    });
    return members;
  };
  expect(await required('2999-01-01')).toEqual([]);
  expect(await required('2026-01-01')).toEqual(Object.keys(CODES).slice(1));
});

describe('the customer’s address', () => {
  test('is returned and sent; if it is required, 422 names what is missing', async () => {
    const tenant = await connectAsaasTenant(sql, { settings: { customer_address: 'required' } });
    const send = (address: object, autoIssue?: boolean) =>
      pay(tenant.apiKey, '/invoices', {
        ...taxed({}, autoIssue),
        customer: { ...invoice().customer, address },
      });
    for (const autoIssue of [true, false]) {
      const reply = await send({ ...ADDRESS, district: null, line1: ' ' }, autoIssue);
      expect(faultsOf(reply, 422, 'validation_error')).toEqual([
        'customer.address.line1',
        'customer.address.district',
      ]);
    }
    expect(await sent(tenant, 'POST', '/payments')).toHaveLength(0);
    expect(bodyOf(await send(ADDRESS), 201).customer.address).toEqual(ADDRESS);
    const { id } = await createInvoice(tenant.apiKey, {
      customer: { ...invoice().customer, tax_id: '24971563792' },
    });
    const document = (more: object) =>
      pay(tenant.apiKey, `/invoices/${id}/tax-documents`, { ...NFSE, ...more });
    expect(faultsOf(await document({}), 422, 'validation_error')).toEqual(
      Object.keys(ADDRESS).map((member) => `customer_address.${member}`),
    );
    bodyOf(await document({ customer_address: ADDRESS }), 202);
    await waitFor(async () => (await sent(tenant, 'POST', '/invoices')).length === 1);
    const { customers } = await tenant.control.account(tenant.asaasId);
    const there = { address: 'Rua A', addressNumber: '1', province: 'Centro', postalCode: '01001000' };
    expect(customers).toMatchObject([{ details: there }, { details: there }]);

    await sql`select admin.erase_person(${tenant.id}, 'maria@example.com')`;
    const left = await sql`
      select t.text from (
        select to_jsonb(d) as text, tenant_id from tax_documents d union all select to_jsonb(i), tenant_id from invoices i
        union all select app.event_data(e), tenant_id from events e union all select snapshot, tenant_id from idempotency_keys
      ) as t where tenant_id = ${tenant.id} and text::text like '%Rua A%'`;
    expect(left).toEqual([]);
  });

  test.each([
    [{ line1: ' ' }, 'customer.address.line1'],
    [{ state: 'XX' }, 'customer.address.state'],
    [{ postal_code: '1234567' }, 'customer.address.postal_code'],
    ['Rua A', 'customer.address'],
  ])('rejects %j', async (address, field) => {
    const { apiKey } = await createPayTenant(sql);
    const customer = { ...invoice().customer, address };
    expect(faultsOf(await pay(apiKey, '/invoices', invoice({ customer })), 422, 'validation_error')).toEqual([
      field,
    ]);
  });
});

test.each([
  [{ iss: 101, pis: 0.00001, cofins: '1', retain_iss: 'yes' }, ['retain_iss', 'iss', 'pis', 'cofins']],
  [{ pis_cofins_cst: '50' }, ['pis_cofins_cst']],
  [{ pis_cofins_cst: '07', operation_pis: 0.65 }, ['operation_pis']],
  [{ pis_cofins_cst: '06', operation_pis: 0, operation_cofins: 3 }, ['operation_cofins']],
  [{ pis_cofins_cst: '01', operation_pis: 0, operation_cofins: 3 }, ['operation_pis']],
  [{ nbs_code: '1.15021000' }, ['nbs_code']],
  [
    { tax_situation_code: 0, operation_indicator_code: '12345678901' },
    ['tax_situation_code', 'operation_indicator_code'],
  ],
  [{ pisCofinsRetentionType: 'WITHHELD', iss: null, stranger: 1 }, []],
])('a request with %j', async (taxes, members) => {
  const { apiKey } = await createPayTenant(sql);
  const reply = await pay(apiKey, '/invoices', taxed(taxes));
  const faults = reply.status === 201 ? [] : faultsOf(reply, 422, 'validation_error');
  expect(faults).toEqual(members.map((member) => `tax_document.taxes.${member}`));
});

test('warnings name missing settings and codes that Asaas does not list', async () => {
  const tenant = await normal(
    {
      taxes: { ...STANDARD, ...CODES, nbs_code: '999999999' },
      services: { a: { code: '1', taxes: { nbs_code: '115021000' } } },
    },
    { useNationalPortal: true, refusedWebhookEvents: ['BALANCE_VALUE_BLOCKED'] },
  );
  const warnings = await waitFor(async () => {
    await sweepNow();
    const account = await untilAccount(sql, tenant.accountId, 'active');
    expect(account).toMatchObject({ tax_regime: 'normal', national_portal: true });
    expect(account.capabilities.tax_document).toBeNull();
    return account.warnings.length === 2 && account.warnings;
  });
  expect(warnings).toEqual([
    expect.stringMatching(/core events.*Evento inválido: BALANCE_VALUE_BLOCKED/),
    "settings.taxes.nbs_code 999999999 is not in the provider's list of codes.",
  ]);
  const listed = () => sql`
    select kind, count(*)::integer as codes from admin.fiscal_codes where account_id = ${tenant.accountId} group by kind order by kind`;
  await waitFor(async () => (await listed()).length === 4);
  expect((await listed()).map(({ codes }) => codes)).toEqual([3, 2, 2, 3]);
  await tenant.control.options(tenant.asaasId, { refusedWebhookEvents: [] });
  await sql`update provider_accounts set webhook_warned_at = now() - interval '25 hours' where id = ${tenant.accountId}`;
  await sql`update jobs set due_at = now(), published_at = null where name = 'check-provider' and key = ${tenant.accountId}`;
  await waitFor(async () => {
    await sweepNow();
    const [row] = await sql`select webhook_warning from provider_accounts where id = ${tenant.accountId}`;
    return row?.webhook_warning === null;
  });
  const set = (settings: object) =>
    sql`update provider_accounts set settings = ${sql.json(settings as never)} where id = ${tenant.accountId}`;
  const missing = async () => {
    const [row] = await sql`select warnings from admin.provider_accounts where id = ${tenant.accountId}`;
    const warnings: string[] = row?.warnings ?? [];
    return warnings.map((line) => line.replace(/ .*/, ''));
  };
  await set({
    services: { a: { taxes: { ...STANDARD, ...CODES } }, b: { taxes: { ...CODES, nbs_code: null } } },
  });
  expect(await missing()).toEqual([
    'settings.services.b.taxes.nbs_code',
    'settings.services.b.taxes.pis_cofins_cst',
  ]);
  await set({ taxes: { ...CODES, pis_cofins_cst: '01' }, services: { a: {}, b: {} } });
  expect(await missing()).toEqual(['settings.taxes.operation_cofins', 'settings.taxes.operation_pis']);
});

describe('settings', () => {
  const KEY = '$aact_hmlg_0123456789';
  test.each([
    ['{"taxes": {"retainIss": true, "retain_iss": true}}', 'settings.taxes.retainIss'],
    ['{"taxes": {"pisCofinsRetentionType": "WITHHELD"}}', 'settings.taxes: "pisCofinsRetentionType"'],
    ['{"taxes": {"pis_cofins_cst": "09", "operation_pis": 1}}', 'settings.taxes.operation_pis'],
    ['{"taxes": {"iss": 1.00001}}', 'settings.taxes.iss'],
    ['{"services": {"a": {"code": "1", "taxes": {"nbs_code": "1"}}}}', 'settings.services.a.taxes.nbs_code'],
    [
      '{"services": {"a": {"code": "1", "taxes": {"retainIss": true}}}}',
      'settings.services.a.taxes: "retainIss"',
    ],
    ['{"customer_address": "yes"}', 'settings.customer_address'],
    ['{"nbs_code_format": "x"}', 'settings.nbs_code_format'],
  ])('rejects %s', async (settings, words) => {
    const { id } = await createPayTenant(sql);
    const refused = sql`select admin.connect_asaas(${id}, ${KEY}, ${sql.json(JSON.parse(settings))})`.then(
      ([row]) => {
        throw new Error(String(row?.connect_asaas));
      },
    );
    await expect(refused).rejects.toThrow(words);
  });

  test('rejects impossible rules and regimes', async () => {
    const refused = (call: Promise<unknown>, words: string) => expect(call).rejects.toThrow(words);
    await refused(sql`select admin.set_fiscal_rule('mei', 'ibs_cbs', null, null)`, 'regime: "mei"');
    await refused(sql`select admin.set_fiscal_rule('normal', 'iss', null, null)`, 'rule: "iss"');
    await refused(
      sql`select admin.set_fiscal_rule('normal', 'ibs_cbs', null, '2026-01-01')`,
      'required_from',
    );
    await refused(sql`select admin.set_sandbox_tax_regime('nobody', 'normal')`, 'tenant');
  });
});
