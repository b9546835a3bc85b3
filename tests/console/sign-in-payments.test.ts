// Payments of people who sign in to the console on the web, with the real functions and the sandbox provider.
import { expect, inject, test } from 'vitest';
import { functionsUrl } from '../../clients/typescript/src/core/options.ts';
import type { Browser } from '../support/clients/served-sign-in.ts';
import { demoPerson, follow, newPerson, signedInAs, textOf } from '../support/clients/stack-people.ts';
import { connectDatabase, createTenant } from '../support/database.ts';

const sql = connectDatabase();

const invoice = (more: Record<string, string> = {}) => ({
  'customer.name': 'Padaria Central',
  'customer.email': 'billing@padaria.example',
  'customer.country': 'BR',
  'customer.tax_id': '529.982.247-25',
  amount: '1234.50',
  currency: 'BRL',
  description: 'Annual plan',
  'payment_method.type': 'card',
  ...more,
});

const payout = (more: Record<string, string> = {}) => ({
  'beneficiary.name': 'Ana Souza',
  'beneficiary.document': '390.533.447-05',
  'beneficiary.phone': '+5511987654321',
  amount: '150',
  currency: 'BRL',
  purpose: 'prize',
  'beneficiary.bank_account.type': 'pix',
  'beneficiary.bank_account.key_type': 'email',
  'beneficiary.bank_account.key': 'ana@demo.example',
  ...more,
});

const fill = (browser: Browser, path: string, values: Record<string, string>) =>
  browser.submit(path, path, values);

/** Creates a record, and returns the path of its page. */
async function create(browser: Browser, path: string, values: Record<string, string>): Promise<string> {
  const answer = await fill(browser, path, values);
  expect([answer.status, answer.status === 303 ? '' : textOf(answer.text)]).toEqual([303, '']);
  return answer.location.replace(/\?.*/, '');
}

/** Plays the payer. */
async function pay(token: string, path: string): Promise<void> {
  const id = path.split('/').at(-1);
  const response = await fetch(
    `${functionsUrl(inject('stack').auth_url)}/payments/sandbox/invoices/${id}/pay`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': crypto.randomUUID() },
    },
  );
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

test('finance makes an invoice once, opens its pay link, and cancels it', async () => {
  const tenant = await createTenant(sql);
  const { browser } = await newPerson(sql, tenant.id, 'finance');
  const form = await browser.get('/payments/invoices/new');
  const [, csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(form.text) ?? [];
  const [, key = ''] = /name="_key" value="([^"]+)"/.exec(form.text) ?? [];
  const values = { ...invoice(), _csrf: csrf, _key: key };
  const [one, other] = [
    await browser.post('/payments/invoices/new', values),
    await browser.post('/payments/invoices/new', values),
  ];
  expect([one.status, other.status]).toEqual([303, 303]);
  expect(one.location.replace(/\?.*/, '')).toBe(other.location.replace(/\?.*/, ''));
  const [row] = await sql`select count(*)::integer as count from invoices where tenant_id = ${tenant.id}`;
  expect(row?.count).toBe(1);

  const page = await browser.get(one.location);
  expect(textOf(page.text)).toContain('The invoice was created.');
  const [, link = ''] = /<a href="(https?:[^"]+)" rel="noreferrer">Open payer page/.exec(page.text) ?? [];
  expect(link).not.toBe('');
  expect(page.text).toMatch(/data-copy/);
  const path = one.location.replace(/\?.*/, '');
  expect(page.text).not.toContain(`${path}/refund`);
  const canceled = await follow(browser, await fill(browser, `${path}/cancel`, { reason: 'duplicate' }));
  expect(textOf(canceled.text)).toMatch(/Status canceled/);
  expect(canceled.text).not.toContain(`${path}/cancel"`);
});

test('an invoice with faults shows each at its field', async () => {
  const tenant = await createTenant(sql);
  const { browser } = await newPerson(sql, tenant.id, 'finance');
  const answer = await fill(
    browser,
    '/payments/invoices/new',
    invoice({ 'customer.tax_id': '123', 'customer.email': 'nobody' }),
  );
  expect(answer.status).toBe(422);
  for (const name of ['customer.tax_id', 'customer.email'])
    expect(answer.text).toContain(`id="field-${name}-fault"`);
  expect(answer.text).not.toContain('id="field-amount-fault"');
  expect(answer.text).toContain('value="nobody"');
});

test('finance refunds a part and the rest, and the ledger shows the payer, the balance and files of a month', async () => {
  const tenant = await createTenant(sql);
  const { browser, person } = await newPerson(sql, tenant.id, 'finance');
  const path = await create(browser, '/payments/invoices/new', invoice());
  await pay(person.token, path);
  await follow(browser, await fill(browser, `${path}/refund`, { amount: '34.50', reason: 'late' }));
  const ledger = textOf((await browser.get('/payments/ledger')).text);
  expect(ledger).toMatch(/Balance R\$\s?1,\d{3}/);
  expect(ledger).toContain('Padaria Central');
  const rest = await follow(browser, await fill(browser, `${path}/refund`, {}));
  expect(textOf(rest.text)).toMatch(/34\.50/);
  expect(textOf(rest.text)).toMatch(/1,200\.00/);
  expect(rest.text).not.toContain(`href="${path}/refund"`);

  const period = new Date().toISOString().slice(0, 7);
  const csv = await browser.get(`/payments/ledger/file?period=${period}&format=csv`);
  expect([csv.status, csv.headers['content-disposition']]).toEqual([
    200,
    `attachment; filename="ledger-${period}.csv"`,
  ]);
  expect(csv.text).toContain('Padaria Central');
  const ofx = await browser.get(`/payments/ledger/file?period=${period}&format=ofx`);
  expect([ofx.status, ofx.text.includes('<OFX>')]).toEqual([200, true]);
  expect((await browser.get('/payments/ledger/file?period=yesterday&format=csv')).status).toBe(422);
});

test('finance requests an NFS-e and cancels it', async () => {
  const tenant = await createTenant(sql);
  const { browser, person } = await newPerson(sql, tenant.id, 'finance');
  const path = await create(
    browser,
    '/payments/invoices/new',
    invoice({ 'customer.address.city': 'Campinas', 'customer.address.state': 'SP' }),
  );
  expect((await browser.get(`${path}/nfse`)).text).toContain('value="Campinas"');
  const asked = await fill(browser, `${path}/nfse`, {
    service_code: '01.07',
    'customer_address.state': 'SP',
    'taxes.retain_iss': 'true',
    'taxes.iss': '2,5',
  });
  const page = await follow(browser, asked);
  expect(textOf(page.text)).toMatch(/Tax document.*pending/);
  expect(page.text).not.toContain(`href="${path}/nfse"`);
  const [{ taxes } = {}] =
    await sql`select requested_taxes as taxes from tax_documents where tenant_id = ${tenant.id}`;
  expect(taxes).toMatchObject({ retain_iss: true, iss: 2.5 });
  await pay(person.token, path);
  expect(textOf((await browser.get(`${path}/refund`)).text)).toContain('The NFS-e keeps the whole amount');
  await expect
    .poll(async () => (await browser.get(path)).text.includes(`href="${path}/cancel-nfse"`), {
      timeout: 30_000,
      interval: 1500,
    })
    .toBe(true);
  const canceled = await follow(browser, await fill(browser, `${path}/cancel-nfse`, { reason: 'wrong' }));
  expect(textOf(canceled.text)).toMatch(/Tax document.*canceled/);
});

test("a manager's payout waits, finance sees it at the start and approves it", async () => {
  const tenant = await createTenant(sql);
  const manager = await newPerson(sql, tenant.id, 'manager', { name: 'Marta Reis' });
  const finance = await newPerson(sql, tenant.id, 'finance', { name: 'Felipe Nunes' });
  const path = await create(manager.browser, '/payments/payouts/new', payout());
  const own = await manager.browser.get(path);
  expect(textOf(own.text)).toContain('You requested it, so another person has to approve it.');
  expect(own.text).not.toContain(`${path}/approve`);

  const start = await finance.browser.get('/');
  expect(start.text).toContain(`href="${path}"`);
  expect(textOf(start.text)).toMatch(/Waiting for approval.*Ana Souza.*150\.00/);
  const page = await finance.browser.get(path);
  expect(textOf(page.text)).toContain('This payout waits for approval.');
  expect(textOf(page.text)).toContain('Marta Reis');
  const approved = await follow(finance.browser, await fill(finance.browser, `${path}/approve`, {}));
  expect(textOf(approved.text)).toMatch(/Approval approved/);
  expect(approved.text).not.toContain(`${path}/approve`);
  expect(textOf((await manager.browser.get(path)).text)).toMatch(/Approval approved/);
});

test('nobody approves an own payout, but may reject it', async () => {
  const tenant = await createTenant(sql);
  await sql`insert into payout_approval_rules values (${tenant.id}, 'BRL', 100)`;
  const { browser } = await newPerson(sql, tenant.id, 'finance');
  const small = await create(browser, '/payments/payouts/new', payout({ amount: '0.50' }));
  expect(textOf((await browser.get(small)).text)).toContain('This payout does not need approval.');

  const path = await create(browser, '/payments/payouts/new', payout());
  const list = await browser.get('/payments/payouts');
  expect(textOf(list.text)).toContain('You requested it, so another person has to approve it.');
  const page = await browser.get(path);
  expect(page.text).not.toContain(`${path}/approve`);
  const refused = await fill(browser, `${path}/approve`, {});
  expect([refused.status, textOf(refused.text)]).toEqual([
    403,
    expect.stringContaining('another one must decide on it'),
  ]);
  const rejected = await follow(browser, await fill(browser, `${path}/reject`, { reason: 'mistake' }));
  expect(textOf(rejected.text)).toMatch(/Approval rejected/);
  expect(textOf(rejected.text)).toMatch(/Beneficiary.*Pix key ana@demo\.example/);

  const again = `/payments/payouts/new?copy=${path.split('/').at(-1)}`;
  expect(rejected.text).toContain(`href="${again}"`);
  const form = await browser.get(again);
  for (const value of ['Ana Souza', '39053344705', 'ana@demo.example', '150.00'])
    expect(form.text).toContain(`value="${value}"`);
});

test('who requested a payout cancels it while it waits', async () => {
  const tenant = await createTenant(sql);
  await sql`insert into payout_approval_rules values (${tenant.id}, 'BRL', 100)`;
  const { browser } = await newPerson(sql, tenant.id, 'finance');
  const path = await create(browser, '/payments/payouts/new', payout());
  const canceled = await follow(browser, await fill(browser, `${path}/cancel`, { reason: 'mistake' }));
  expect(textOf(canceled.text)).toMatch(/Status canceled/);
  expect(canceled.text).not.toContain(`${path}/cancel"`);
});

test('who may only approve sees the payouts that wait, and no ledger', async () => {
  const tenant = await createTenant(sql);
  const manager = await newPerson(sql, tenant.id, 'manager');
  const path = await create(manager.browser, '/payments/payouts/new', payout());
  const { browser } = await newPerson(sql, tenant.id, '{self,approve:payouts}');
  const page = await browser.get(path);
  expect(page.status).toBe(200);
  expect(page.text).toContain(`href="${path}/approve"`);
  expect(textOf(page.text)).not.toContain('Ledger');
  expect((await browser.get('/payments/payouts')).status).toBe(200);
  expect((await browser.get('/payments/ledger')).status).toBe(403);
});

test('without payouts and invoices, the start of finance says that nothing waits', async () => {
  const tenant = await createTenant(sql);
  const { browser } = await newPerson(sql, tenant.id, 'finance');
  expect(textOf((await browser.get('/')).text)).toContain('Nothing waits for you');
});

test.each([
  ['felipe', [], ['/payments/invoices', '/payments/payouts', '/payments/ledger', '/payments/invoices/new']],
  ['marta', ['/payments/invoices/new', '/payments/ledger/adjust'], ['/payments/payouts/new']],
  ['ana', ['/payments/invoices', '/payments/payouts/new', '/payments/ledger/file'], []],
])('%s sees the forms that their access opens', async (name, closed, open) => {
  const browser = await signedInAs(demoPerson(name));
  for (const path of closed) expect([path, (await browser.get(path)).status]).toEqual([path, 403]);
  for (const path of open) expect([path, (await browser.get(path)).status]).toEqual([path, 200]);
});
