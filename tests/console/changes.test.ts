// Changes on the pages: create, update, rejections, and the resulting audit entries.
import { expect, inject, test } from 'vitest';
import { connect, newPayout } from '../support/clients/client.ts';
import { createOwner, hiddenFields, serveFor } from '../support/clients/served-console.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase();

const idFrom = (answer: Response) =>
  /\/([^/?]+)\?done=/.exec(answer.headers.get('location') ?? '')?.[1] ?? '';

test('two clicks create one mission; it is changed, and the audit trail names the person', async () => {
  const served = await serveFor(await createOwner(sql));
  const page = await (await served.get('/gamification/missions/new')).text();
  const hidden = hiddenFields(page);
  const values = { name: 'Demo <given>', points: '1,500', codes: '010\n011' };
  const clicks = await Promise.all([
    served.submit('/gamification/missions/new', values, hidden),
    served.submit('/gamification/missions/new', values, hidden),
  ]);
  const created = clicks.find(({ status }) => status === 303);
  const id = created ? idFrom(created) : '';
  const list = await (await served.get('/gamification/missions')).text();
  expect(list.split('Demo &lt;given&gt;').length - 1).toBe(1);
  expect(list).toContain('1,500');

  const edited = await served.submit(`/gamification/missions/${id}/edit`, {
    name: 'Demo given',
    points: '20',
    codes: '010',
  });
  expect(edited.status).toBe(303);
  const shown = await (await served.get(edited.headers.get('location') ?? '')).text();
  expect(shown).toMatch(/role="status"[^>]*lang="en">[^<]*Demo given/);
  const changes = await (await served.get('/changes?actor=&act=mission.*')).text();
  const portuguese = await served.get(`/changes?subject=${id}`, { 'Accept-Language': 'pt-BR' });
  expect(await portuguese.text()).toContain('>Missão &quot;Demo &lt;given&gt;&quot; criada.<');
  const change = /href="(\/changes\/\w+)"/.exec(changes)?.[1] ?? '';
  const detail = await (await served.get(change)).text();
  expect(detail).toContain('ana@acme.example');
  expect(detail).toContain('placar-console/test');
  expect(detail).toMatch(/1,500[\s\S]*20/);
});

test('values saved by someone else appear next to the typed ones, and can be overwritten', async () => {
  const owner = await createOwner(sql);
  const served = await serveFor(owner);
  const id = idFrom(await served.submit('/gamification/tiers/new', { name: 'Gold', min_points: '100' }));
  const path = `/gamification/tiers/${id}/edit`;
  const mine = hiddenFields(await (await served.get(path)).text());
  expect((await served.submit(path, { name: 'Gold', min_points: '200' })).status).toBe(303);
  const refused = await served.submit(path, { name: 'Gold!', min_points: '300' }, mine);
  expect(refused.status).toBe(412);
  const page = await refused.text();
  expect(page).toMatch(/value="300"[\s\S]*Saved in the meantime: 200/);
  const again = await served.submit(path, { name: 'Gold!', min_points: '300' }, hiddenFields(page));
  expect(again.status).toBe(303);
});

test('errors appear at their fields, with the typed values', async () => {
  const served = await serveFor(await createOwner(sql));
  const refused = await served.submit('/gamification/missions/new', {
    name: 'M',
    points: 'many',
    codes: '010, 1',
  });
  expect(refused.status).toBe(400);
  const page = await refused.text();
  expect(page).toMatch(
    /id="field-points"[^>]*aria-describedby="[^"]*field-points-fault[^>]*aria-invalid="true"[^>]*data-focus/,
  );
  expect(page).toMatch(/id="field-points-fault"/);
  expect(page).toMatch(/id="field-codes-fault"[^>]*>&quot;1&quot; <span lang="en">must be three digits/);
  expect(page).toContain('Nothing was changed');
  expect(page).toContain('value="many"');
});

test('a message names another field by its label', async () => {
  const served = await serveFor(await createOwner(sql));
  const dates = { starts_at: '2026-03-02T00:00', ends_at: '2026-03-01T00:00' };
  const refused = await served.submit('/gamification/seasons/new', { name: 'March', ...dates });
  expect(await refused.text()).toMatch(
    /id="field-ends_at-fault"[^>]*><span lang="en">must be later than &quot;Starts&quot;</,
  );
});

test('a code without a mission is mapped from its row, and every page names the workspace', async () => {
  const owner = await createOwner(sql);
  const served = await serveFor(owner);
  const created = await served.submit('/gamification/missions/new', {
    name: 'Demo',
    points: '5',
    codes: '010',
  });
  const mission = idFrom(created);
  await connect(owner).collaborators.sync([{ external_id: 'c-1', name: 'Ana', email: 'ana@acme.example' }]);
  await connect(owner).activities.sync([
    { activity_code: '042', external_id: 'call-1', collaborator_email: 'ana@acme.example' },
  ]);
  const list = await (await served.get('/gamification/codes')).text();
  expect([...list.matchAll(/href="(\/gamification\/codes\/\d+\/map)"/g)].map(([, path]) => path)).toEqual([
    '/gamification/codes/042/map',
  ]);
  expect((await served.submit('/gamification/codes/042/map', { mission })).status).toBe(303);
  expect(await (await served.get('/gamification/codes')).text()).not.toContain('/042/map');
  const [tenant] = await sql`select name from tenants where id = ${owner.tenantId}`;
  expect(list).toMatch(new RegExp(`class="side-foot"><p[^>]*>${tenant?.name}<`));
});

test('a new key is shown once, on the page after its form', async () => {
  const served = await serveFor(await createOwner(sql));
  const created = await served.submit('/access/keys/new', {
    label: 'CRM',
    scopes: 'default:sync',
    requests_per_hour: '1000',
  });
  expect(created.status).toBe(200);
  expect(created.headers.get('cache-control')).toBe('no-store');
  const key = /sk_\w+_\w{20,}/.exec(await created.text())?.[0] ?? '';
  expect(key).not.toBe('');
  const list = await (await served.get('/access/keys')).text();
  expect(list).toContain('CRM');
  const detail = await (await served.get(/href="(\/access\/keys\/[^"]+)">CRM/.exec(list)?.[1] ?? '')).text();
  for (const page of [list, detail]) expect(page).not.toContain(key);
});

test('only the client’s own scopes can be selected, and pages of other scopes have no forms', async () => {
  const served = await serveFor(await createOwner(sql, ['read:settings', 'manage:access']));
  const form = await (await served.get('/access/clients/new')).text();
  expect(form).toMatch(/value="read:settings"(?![^>]*disabled)/);
  expect(form).toMatch(/value="manage:persons"[^>]*disabled/);
  const refused = await served.get('/persons');
  expect(refused.status).toBe(403);
  const page = await refused.text();
  expect(page).toContain('<code>manage:persons</code>');
  expect(page).not.toContain('action="/persons');
  const missions = await (await served.get('/gamification/missions')).text();
  expect(missions).not.toContain('/gamification/missions/new');
});

test('no page shows a credential', async () => {
  const owner = await createOwner(sql);
  const served = await serveFor(owner);
  for (const path of ['/', '/access/keys', '/access/clients', '/settings', '/requests', '/changes']) {
    const page = await (await served.get(path)).text();
    for (const secret of [owner.apiKey, owner.clientSecret]) expect(page).not.toContain(secret);
  }
});

test('forms of webhooks, automations, settings and persons reach their operations', async () => {
  const owner = await createOwner(sql);
  const served = await serveFor(owner);
  const inbox = `${inject('stack').inbox_url}/${owner.tenantId}`;
  for (const path of ['/webhooks', '/webhooks/payments']) {
    const created = await served.submit(`${path}/new`, {
      url: inbox,
      events: path === '/webhooks' ? 'lead.created' : 'invoice.paid',
    });
    expect([path, created.status]).toEqual([path, 200]);
    expect(await created.text()).toMatch(/whsec_[\w+/=]{20,}/);
    const list = await (await served.get(path)).text();
    const webhook = new RegExp(`href="(${path}/[\\w-]{36})"`).exec(list)?.[1] ?? '';
    const page = await (await served.get(webhook)).text();
    const paused = await served.post(`${webhook}/pause`, hiddenFields(page));
    expect([path, paused.status]).toEqual([path, 303]);
    expect(await (await served.get(webhook)).text()).toContain('>Resume<');
  }
  const automation = {
    name: 'Big deals',
    event: 'deal.created',
    'conditions.0.field': 'value',
    'conditions.0.op': 'gt',
    'conditions.0.value': '10,000',
    'conditions.1.field': 'company',
    'conditions.1.op': 'in',
    'conditions.1.value': 'site, fair',
    'actions.0.type': 'award_points',
    'actions.0.value': '-5',
    'actions.1.type': 'add_tag',
    'actions.1.value': '12',
    active: 'true',
  };
  const made = await served.submit('/automations/new', automation);
  expect(made.status).toBe(303);
  const path = made.headers.get('location')?.replace(/\?.*/, '') ?? '';
  expect(await (await served.get(path)).text()).toContain(
    'value &gt; 10000, company ∈ [&quot;site&quot;,&quot;fair&quot;]',
  );
  const [stored] = await sql`select conditions, actions from automations where tenant_id = ${owner.tenantId}`;
  expect(stored?.actions).toEqual([
    { type: 'award_points', points: -5 },
    { type: 'add_tag', tag: '12' },
  ]);
  const edit = await (await served.get(`${path}/edit`)).text();
  expect(edit).toMatch(/name="conditions\.0\.value"[^>]* value="10000"/);
  expect(edit).toMatch(/name="conditions\.1\.value"[^>]* value="site, fair"/);
  const wrong = await served.submit('/automations/new', {
    ...automation,
    name: 'Other',
    'actions.1.type': '',
  });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toMatch(/id="field-actions-fault"[^>]*>Line 2: /);

  expect(
    (await served.submit('/settings/edit', { name: 'Acme', time_zone: 'Europe/Lisbon', language: 'en' }))
      .status,
  ).toBe(303);
  expect(await (await served.get('/settings')).text()).toContain('Times are in Europe/Lisbon.');

  const exported = await served.submit('/persons/export', { email: 'nobody@acme.example' });
  expect(exported.headers.get('content-disposition')).toBe('attachment; filename="person.json"');
  const erased = await served.submit('/persons/erase', {
    email: 'ana@acme.example',
    confirm: 'bea@acme.example',
  });
  expect(await erased.text()).toContain('id="field-confirm-fault"');
});

test('a pending payout is approved, and is no longer pending', async () => {
  const owner = await createOwner(sql);
  await sql`select admin.require_payout_approval(${owner.tenantId}, 100, 'BRL')`;
  const payout = await connect(owner).payouts.create(newPayout());
  const served = await serveFor(owner);
  const list = await (await served.get('/payments/payouts')).text();
  expect(list).toContain(`/payments/payouts/waiting/${payout.id}/approve`);
  const approved = await served.submit(`/payments/payouts/waiting/${payout.id}/approve`, {});
  expect(approved.status).toBe(303);
  expect(await (await served.get('/payments/payouts')).text()).toContain('Nothing waits for you');
});

test('a client without an API key lists payouts, and the page shows the payout to approve', async () => {
  const owner = await createOwner(sql);
  await sql`select admin.require_payout_approval(${owner.tenantId}, 100, 'BRL')`;
  const payout = newPayout();
  const { id } = await connect(owner).payouts.create(payout);
  const served = await serveFor({ clientId: owner.clientId, clientSecret: owner.clientSecret });
  const list = await served.get('/payments/payouts');
  expect(list.status).toBe(200);
  expect(await list.text()).toContain(`href="/payments/payouts/${id}"`);
  expect((await served.get('/payments/payouts?format=csv')).status).toBe(200);
  // The first page of payments that this client opens.
  expect(await (await served.get('/')).text()).toContain('<li><a href="/payments/payouts">');
  const page = await (await served.get(`/payments/payouts/${id}/approve`)).text();
  expect(page).toContain(payout.beneficiary.name);
  expect((await served.submit(`/payments/payouts/${id}/approve`, {})).status).toBe(303);
});

test('an amount is entered and exported in the units of its currency', async () => {
  const owner = await createOwner(sql);
  const served = await serveFor(owner);
  const rule = { currency: 'JPY', above_amount: '1,500' };
  expect((await served.submit('/payments/providers/approval', rule)).status).toBe(303);
  const [kept] = await sql`
    select above_amount::integer as above from payout_approval_rules where tenant_id = ${owner.tenantId} and currency = 'JPY'`;
  expect(kept?.above).toBe(1500);
  const entry = { amount: '-1,500', currency: 'JPY', reason: 'Cash' };
  expect((await served.submit('/payments/ledger/adjust', entry)).status).toBe(303);
  const file = await served.get('/payments/ledger?format=csv', { 'Accept-Language': 'en' });
  expect(await file.text()).toMatch(/,-1500,/);
});

test('corrections: players are suggested, and corrections are listed with their reasons', async () => {
  const owner = await createOwner(sql);
  await connect(owner).collaborators.sync([{ external_id: 'c-1', name: 'Ana', email: 'ana@acme.example' }]);
  const served = await serveFor(owner);
  const adjust = '/gamification/corrections/adjust';
  expect(await (await served.get(`${adjust}?points=5`)).text()).toMatch(
    /<option value="ana@acme.example">Ana<[\s\S]*value="5"/,
  );
  const values = { email: 'ana@acme.example', points: '7', reason: 'A call by phone' };
  expect((await served.submit(adjust, values)).status).toBe(303);
  expect(await (await served.get('/gamification/corrections')).text()).toMatch(
    /Latest corrections[\s\S]*ana@acme\.example \([\s\S]*A call by phone/,
  );
});

test('a point rule is changed on its page, and an unknown address shows an error page', async () => {
  const served = await serveFor(await createOwner(sql));
  const rule = { event: 'deal.won', points: '10', max_per_day: '2' };
  const id = idFrom(await served.submit('/gamification/rules/new', rule));
  const path = `/gamification/rules/${id}`;
  const hidden = hiddenFields(await (await served.get(`${path}/edit`)).text());
  expect((await served.submit(`${path}/edit`, { ...hidden, points: '15', max_per_day: '' })).status).toBe(
    303,
  );
  expect(await (await served.get('/gamification/rules')).text()).toMatch(/>Deal won<[\s\S]*>15</);
  expect((await served.get('/payments')).headers.get('location')).toBe('/payments/invoices');
  const unknown = await served.get('/nope');
  expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('Go to overview')]);
});
