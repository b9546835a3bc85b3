// Records that cannot be applied, and accounts that cannot be used: the others go on, and people are told once.
import { describe, expect, test } from 'vitest';
import {
  addUser,
  atHubspot,
  atPipedrive,
  connectCrm,
  connectPipedriveTenant,
  finishRun,
  openDifferences,
  PIPELINE,
  untilCrmIs,
  untilSettled,
} from '../../support/connectors.ts';
import {
  connectTo,
  dealOf,
  importAll,
  refusalOf,
  untilDeal,
  untilLead,
  withContact,
} from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { createTenant } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

describe.concurrent('a record that cannot be applied', () => {
  test('is counted and listed, the others are imported, and it heals', async () => {
    const acme = await connectTo(sql, pipedrive);
    const [good, bad] = await atPipedrive().addMany(acme.vendorId, 'deals', [
      { title: 'Website', value: 100, currency: 'BRL' },
      { title: 'Hosting', value: 50, currency: 'BRL', expected_close_date: '0000-01-01' },
    ]);
    expect(await finishRun(sql, acme, 'import')).toMatchObject({
      ...{ status: 'done', read: '2', created: '1', failed: '1' },
    });
    expect(await dealOf(sql, acme, String(good?.id))).toMatchObject({ name: 'Website' });
    expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'read_failed', record: 'deal' }]);
    await atPipedrive().patch(acme.vendorId, 'deals', String(bad?.id), { expected_close_date: '2026-02-28' });
    await untilDeal(sql, acme, String(bad?.id));
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test('has the values that fit; the others are listed and stay as they are here', async () => {
    const acme = await connectTo(sql, pipedrive);
    const deal = only(await acme.there.addDeals([{ name: 'Website', value: 500 }], true));
    await importAll(sql, acme);
    const change = { title: 'Site', value: -100, expected_close_date: '2026-02-31' };
    await atPipedrive().patch(acme.vendorId, 'deals', deal, change);
    await untilDeal(sql, acme, deal, ({ name }) => name === 'Site');
    expect(await dealOf(sql, acme, deal)).toMatchObject({ value: 500, expected_close_date: null });
    expect(await openDifferences(sql, acme)).toMatchObject([
      { kind: 'invalid_value', field: 'expected_close_date', theirs: '2026-02-31' },
      { kind: 'invalid_value', field: 'value', theirs: -100 },
    ]);
  });

  test('without an address is read again each hour, whatever the time of its last change', async () => {
    const acme = await connectTo(sql, pipedrive);
    const id = only(await acme.there.addContacts([{ name: 'Sem Email', email: null }], true));
    await importAll(sql, acme);
    await acme.there.loseWebhooks();
    const emails = [{ value: 'com@client.example', primary: true, label: 'work' }];
    await atPipedrive().patch(acme.vendorId, 'persons', id, { emails });
    await sql`
      update crm_accounts set reconciled_to = now() + interval '1 hour', last_reconciled_at = null where id = ${acme.accountId}`;
    await sql`select private.wake_crm(${acme.accountId})`;
    await untilLead(sql, acme, id, ({ email }) => email === 'com@client.example');
    await untilSettled(sql, acme);
  });

  test('without a name keeps the one that it has here; a new one is called by its address', async () => {
    const acme = await connectTo(sql, hubspot);
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Ana Lima', 'ana@client.example')`;
    await atHubspot().addMany(acme.vendorId, 'contacts', [
      { email: 'ana@client.example' },
      { email: 'rui@client.example' },
    ]);
    const preview = await finishRun(sql, acme, 'preview');
    expect(
      await sql`select name, action from admin.crm_preview where run_id = ${preview.id} order by action`,
    ).toEqual([
      { name: 'rui@client.example', action: 'create' },
      { name: 'ana@client.example', action: 'link' },
    ]);
    await importAll(sql, acme);
    expect(await sql`select name from leads where tenant_id = ${acme.id} order by email`).toEqual([
      { name: 'Ana Lima' },
      { name: 'rui@client.example' },
    ]);
  });

  test('in another Unicode form is not changed here, and nothing is written there', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both' });
    const id = only(
      await acme.there.addContacts([{ name: 'Jose\u0301 Lima', email: 'jose@client.example' }], true),
    );
    await importAll(sql, acme);
    await acme.there.changeContact(id, { phone: '+55 11 92222-2222' });
    await untilLead(sql, acme, id, ({ phone }) => phone === '+55 11 92222-2222');
    await untilSettled(sql, acme);
    expect(await acme.there.requests({ method: 'PATCH' })).toEqual([]);
  });

  test('of one of two users with the same address has that user as its owner', async () => {
    const tenant = await createTenant(sql);
    const user = await addUser(sql, tenant);
    const {
      id: vendorId,
      domain,
      apiToken,
    } = await atPipedrive().createAccount({
      users: [
        { name: 'Ana (former)', email: 'ana@acme.example' },
        { name: 'Ana', email: 'ANA@acme.example' },
      ],
      pipelines: [PIPELINE],
    });
    const accountId = await connectCrm(sql, tenant.id, 'pipedrive', { domain, api_token: apiToken });
    await untilCrmIs(sql, accountId, 'active');
    const { users } = (await atPipedrive().account(vendorId, 'rows')).rows;
    const rows = users.map(({ id }) => ({ title: `Of ${id}`, value: 1, owner_id: id }));
    await atPipedrive().addMany(vendorId, 'deals', rows);
    const acme = { ...tenant, accountId, vendorId, credentials: {} };
    await finishRun(sql, acme, 'import');
    expect(await sql`select owner_id from deals where tenant_id = ${tenant.id}`).toEqual(
      users.map(() => ({ owner_id: user.id })),
    );
    expect(await openDifferences(sql, acme)).toEqual([]);
  });

  test('whose reading the CRM refuses is listed, the others are applied, and it heals', async () => {
    const acme = await connectTo(sql, pipedrive);
    const [good, bad] = (
      await atPipedrive().addMany(acme.vendorId, 'deals', [
        { title: 'Website', value: 100, currency: 'BRL' },
        { title: 'Hosting', value: 50, currency: 'BRL' },
      ])
    ).map(({ id }) => String(id));
    await finishRun(sql, acme, 'import');
    await untilSettled(sql, acme);
    const refusal = { kind: 'error_before', method: 'GET', status: 400, account: acme.vendorId } as const;
    const body = { success: false, error: 'Scope and URL mismatch' };
    await atPipedrive().fault({ ...refusal, body, path: '/api/v2/deals' });
    // After as many tries, a record is left out.
    await atPipedrive().fault({ ...refusal, body, path: `/api/v2/deals/${bad}`, times: 5 });
    for (const id of [good, bad])
      await atPipedrive().patch(acme.vendorId, 'deals', String(id), { value: 70 });
    await waitFor(async () => Number((await dealOf(sql, acme, String(good)))?.value) === 70);
    const [difference] = await waitFor(async () => {
      await sql`update private.crm_pending set due_at = now() where account_id = ${acme.accountId}`;
      await sql`select private.wake_crm(${acme.accountId})`;
      const open = await openDifferences(sql, acme);
      return open.length > 0 && open;
    });
    expect(difference).toMatchObject({ kind: 'read_failed', record: 'deal' });
    expect(difference?.theirs).toContain('Scope and URL mismatch');
    const [account] =
      await sql`select status, waiting_until from admin.crm_accounts where id = ${acme.accountId}`;
    expect(account).toEqual({ status: 'active', waiting_until: null });
    await atPipedrive().patch(acme.vendorId, 'deals', String(bad), { value: 80 });
    await waitFor(async () => Number((await dealOf(sql, acme, String(bad)))?.value) === 80);
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test('as the contact of a deal: the deal is there without it, and gets it with the next reconciliation', async () => {
    const acme = await connectTo(sql, pipedrive);
    await finishRun(sql, acme, 'import');
    await untilSettled(sql, acme);
    const person = { name: 'Davi Lima', email: 'davi@client.example' };
    const contact = only(await acme.there.addContacts([person], true));
    await acme.there.fault({
      ...{ kind: 'error_before', method: 'GET', status: 400, body: { success: false } },
      path: `/api/v2/persons/${contact}`,
    });
    const id = only(await acme.there.addDeals([{ name: 'Website', value: 100, contact }]));
    expect((await untilDeal(sql, acme, id)).lead_id).toBeNull();
    await sql`select admin.reconcile_crm(${acme.accountId})`;
    await untilDeal(sql, acme, id, ({ lead_id: lead }) => lead !== null);
  });

  test('a reconciliation that an admin cancels does not begin again at once', async () => {
    const { acme } = await withContact(sql, pipedrive);
    await acme.there.fault({ kind: 'slow', delayMs: 3000, ...pipedrive.listsContacts });
    await sql`update crm_accounts set last_reconciled_at = now() - interval '2 hours' where id = ${acme.accountId}`;
    await sql`select private.wake_crm(${acme.accountId})`;
    const run = await waitFor(async () => {
      const [open] = await sql`
        select id from crm_runs where account_id = ${acme.accountId} and kind = 'reconcile' and phase = 'leads' and finished_at is null`;
      return open;
    });
    await sql`select admin.cancel_crm_run(${run.id})`;
    await waitFor(async () => {
      const [job] = await sql`
        select from jobs where key = ${acme.accountId} and locked_until is null and due_at > now() + interval '10 minutes'`;
      return job;
    });
    const later = await sql`
      select from crm_runs where account_id = ${acme.accountId} and kind = 'reconcile'
      and created_at > (select created_at from crm_runs where id = ${run.id})`;
    expect(later).toHaveLength(0);
  });
});

describe.concurrent('an account that cannot be used', () => {
  test('webhooks that the CRM refuses: failing with its words, and active once it takes them', async () => {
    const tenant = await createTenant(sql);
    const { id, domain, apiToken } = await atPipedrive().createAccount({});
    await atPipedrive().fault({
      ...{ kind: 'error_before', method: 'POST', path: '/api/v1/webhooks', times: 1000, account: id },
      ...{ status: 400, body: { status: 'error', message: 'You have reached the limit of 40 webhooks.' } },
    });
    const [row] = await sql`
      select admin.connect_crm(${tenant.id}, 'pipedrive', ${JSON.stringify({ domain, api_token: apiToken })}) as id`;
    expect(await untilCrmIs(sql, row?.id, 'failing')).toMatchObject({
      reason: expect.stringContaining('limit of 40 webhooks'),
    });
  });

  test('a list that the CRM refuses: its run fails with the words, and webhooks go on', async () => {
    const { acme, id } = await withContact(sql, pipedrive);
    await sql`select admin.map_crm_activity(${acme.accountId}, 'call', '001')`;
    await acme.there.fault({
      ...{ kind: 'error_before', status: 400, times: 1000, method: 'GET', path: '/api/v2/activities' },
      body: { success: false, error: 'Parameter done is not known' },
    });
    expect(await finishRun(sql, acme, 'reconcile')).toMatchObject({
      ...{ status: 'failed', phase: 'activities', error: expect.stringContaining('done is not known') },
    });
    await acme.there.changeContact(id, { name: 'Davi de Lima' });
    await untilLead(sql, acme, id, ({ name }) => name === 'Davi de Lima');
    expect(await untilCrmIs(sql, acme.accountId, 'active')).toMatchObject({ waiting_until: null });
  });

  test('one mail, also if each try gets as far as the records', async () => {
    const { acme } = await withContact(sql, pipedrive);
    await sql`update tenants set owner_email = 'owner@acme.example' where id = ${acme.id}`;
    const mails = () =>
      sql`select key from jobs where tenant_id = ${acme.id} and name = 'send-mail' and key like '%crm-failing%'`;
    await acme.there.fault({ kind: 'error_before', status: 403, times: 1000, ...pipedrive.listsContacts });
    await sql`select admin.reconcile_crm(${acme.accountId})`;
    await untilCrmIs(sql, acme.accountId, 'failing');
    await waitFor(async () => (await mails()).length === 1);
    // As if the first mail had been sent in another hour.
    await sql`update jobs set key = key || ' earlier' where tenant_id = ${acme.id} and key like '%crm-failing%'`;
    await waitFor(
      async () =>
        (await sql`select from jobs where key = ${acme.accountId} and locked_until is null`).length > 0,
    );
    await acme.there.forgetRequests();
    await waitFor(async () => {
      // As if a minute had passed, also if the job ends meanwhile and is due in another minute.
      await sql`
        update jobs set due_at = now(), published_at = null
        where name = 'sync-crm' and key = ${acme.accountId} and locked_until is null`;
      return (await acme.there.requests(pipedrive.listsContacts)).length > 0;
    });
    await untilCrmIs(sql, acme.accountId, 'failing');
    expect(await mails()).toHaveLength(1);
  });

  test('before the first import, nothing is reconciled or compared', async () => {
    const acme = await connectPipedriveTenant(sql);
    for (const kind of ['reconcile', 'compare'])
      expect(await refusalOf(sql`select ${sql(`admin.${kind}_crm`)}(${acme.accountId})`)).toContain(
        'no finished import',
      );
  });

  test('paused: a worker that is on it takes nothing more', async () => {
    const { acme, id } = await withContact(sql, pipedrive);
    await sql`select admin.pause_crm(${acme.accountId})`;
    await sql`
      insert into private.crm_pending (tenant_id, account_id, kind, crm_id, due_at)
      values (${acme.id}, ${acme.accountId}, 'lead', ${id}, now())`;
    expect(await sql`select * from app.claim_crm_pending(${acme.accountId}, 100, false)`).toHaveLength(0);
    await sql`select admin.resume_crm(${acme.accountId})`;
    await untilCrmIs(sql, acme.accountId, 'active');
    await untilSettled(sql, acme);
  });
});

test('the deals of a contact that gets an address later get its lead', async () => {
  const acme = await connectTo(sql, pipedrive);
  const contact = only(await acme.there.addContacts([{ name: 'Sem Email', email: null }], true));
  const deal = only(await acme.there.addDeals([{ name: 'Website', value: 100, contact }], true));
  await importAll(sql, acme);
  expect(await dealOf(sql, acme, deal)).toMatchObject({ lead_id: null });
  await atPipedrive().patch(acme.vendorId, 'persons', contact, {
    emails: [{ value: 'davi@client.example', primary: true, label: 'work' }],
  });
  await untilDeal(sql, acme, deal, ({ lead_id: lead }) => lead !== null);
});
