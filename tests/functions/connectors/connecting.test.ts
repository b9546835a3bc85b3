// Connecting an account: credentials, settings, two tenants with one account, errors of admin functions, secrets.
import { describe, expect, test } from 'vitest';
import {
  atRdStation,
  connectCrm,
  finishRun,
  PEOPLE,
  untilCrmIs,
  untilSettled,
} from '../../support/connectors.ts';
import { callbackOf, connectTo, drivers, refusalOf } from '../../support/crms/connected.ts';
import { only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { createTenant } from '../../support/database.ts';
import { readLogs } from '../../support/logs.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();
const ask = (crm: string, credentials: unknown, settings: unknown = {}, tenant = 'nobody') =>
  sql`select admin.connect_crm(${tenant}, ${crm}, ${JSON.stringify(credentials)}, ${JSON.stringify(settings)}) as id`;

/** An admin of RD Station CRM opens the link and agrees. */
async function agree(accountId: string): Promise<void> {
  await waitFor(
    async () =>
      (await sql`select from crm_accounts where id = ${accountId} and callback_url is not null`).length > 0,
  );
  const [row] = await sql`select admin.authorize_crm(${accountId}) as link`;
  expect((await fetch(row?.link)).status).toBe(200);
}
const TOKEN = '0123456789abcdef0123456789abcdef01234567';

describe.concurrent('credentials', () => {
  const HIDDEN = 'Sup3rSecretValue';
  test.each([
    ['pipedrive', { domain: 'acme' }, 'credentials.api_token'],
    ['pipedrive', { domain: 'acme', api_token: HIDDEN }, 'credentials.api_token'],
    ['pipedrive', { domain: 'acme', api_token: `${TOKEN}\n` }, 'credentials.api_token'],
    ['pipedrive', { domain: `${HIDDEN}/evil`, api_token: TOKEN }, 'credentials.domain'],
    ['pipedrive', { domain: 'a.b', api_token: TOKEN }, 'credentials.domain'],
    ['pipedrive', { domain: 'acme', api_token: TOKEN, more: HIDDEN }, 'credentials.more'],
    ['pipedrive', { domain: 'acme', api_token: 5 }, 'credentials.api_token'],
    ['pipedrive', { domain: 'acme', api_token: null }, 'credentials.api_token'],
    ['hubspot', {}, 'credentials.access_token'],
    ['hubspot', { access_token: `${HIDDEN}123` }, 'credentials.client_secret'],
    ['hubspot', { access_token: `${HIDDEN}123`, service_key: `${HIDDEN}123` }, 'credentials.'],
    ['hubspot', { service_key: `${HIDDEN} with spaces` }, 'credentials.service_key'],
    ['hubspot', { optional: HIDDEN }, 'credentials.optional'],
    ['rd_station', { client_id: `${HIDDEN}1` }, 'credentials.client_secret'],
    [
      'rd_station',
      { client_id: `${HIDDEN}1`, client_secret: `${HIDDEN}1`, refresh_token: ['x'] },
      'credentials.refresh_token',
    ],
    [
      'rd_station',
      { client_id: `${HIDDEN}1`, client_secret: `${HIDDEN}1`, optional: HIDDEN },
      'credentials.optional',
    ],
    ['rd_station', [HIDDEN], 'credentials'],
    ['rd_station', HIDDEN, 'credentials'],
  ])('%s %j is refused by its name', async (crm, credentials, named) => {
    const { id } = await createTenant(sql);
    const words = await refusalOf(ask(crm, credentials, {}, id));
    expect(words).toContain(named);
    expect(words).not.toContain('not refused');
    expect(words).not.toContain(HIDDEN);
    expect(await sql`select from crm_accounts where tenant_id = ${id}`).toHaveLength(0);
  });

  test('text that is no JSON, an unknown CRM, an unknown tenant', async () => {
    const { id } = await createTenant(sql);
    const broken = await refusalOf(
      sql`select admin.connect_crm(${id}, 'pipedrive', ${`{"api_token": "${HIDDEN}`})`,
    );
    expect(broken).toContain('credentials');
    expect(broken).not.toContain(HIDDEN);
    const deep = `{"token": "${HIDDEN}", "x": ${'['.repeat(100_000)}`;
    for (const text of [`{"token": "${HIDDEN}\\u0000"}`, `{"token": "${HIDDEN}", "x": 1e400000}`, deep])
      for (const [named, credentials, settings] of [
        ['credentials', text, '{}'],
        ['settings', '{}', text],
      ] as const) {
        const error =
          await sql`select admin.connect_crm(${id}, 'pipedrive', ${credentials}, ${settings})`.then(
            () => 'not refused',
            ({ message, detail, where, hint }: Record<string, string>) =>
              JSON.stringify({ message, detail, where, hint }),
          );
        expect(error).toContain(`"${named}: `);
        expect(error).not.toContain(HIDDEN);
      }
    expect(await refusalOf(ask('salesforce', {}, {}, id))).toContain('crm');
    expect(await refusalOf(ask('pipedrive', { domain: 'acme', api_token: TOKEN }))).toContain('nobody');
  });

  test.each(drivers)(
    '$crm: wrong ones fail with a reason, right ones afterwards go on under the same id',
    async (driver) => {
      const { id: tenantId } = await createTenant(sql);
      const { credentials } = await driver.createAccount();
      const wrong = Object.fromEntries(
        Object.entries(credentials).map(([name, value]) => [
          name,
          name === 'domain' || name === 'client_id'
            ? value
            : value.replace(/[0-9a-f]/g, (one) => (one === 'a' ? 'b' : 'a')),
        ]),
      );
      const accountId = await connectCrm(sql, tenantId, driver.crm, wrong);
      const failing = await untilCrmIs(sql, accountId, 'failing');
      expect(failing.reason).toMatch(/\w{4}/);
      for (const secret of Object.values(wrong).filter((value) => value.length > 20))
        expect(failing.reason).not.toContain(secret);
      expect(await refusalOf(sql`select admin.import_crm(${accountId})`)).toContain('failing');
      expect(await refusalOf(sql`select admin.import_crm(${accountId})`)).toContain(failing.reason);
      expect(await connectCrm(sql, tenantId, driver.crm, credentials, { conflict: 'latest' })).toBe(
        accountId,
      );
      const active = await untilCrmIs(sql, accountId, 'active');
      expect(active).toMatchObject({ reason: null, settings: { conflict: 'latest' } });
      const state = driver.setUpWebhooks ? 'by_hand' : 'active';
      expect(active.webhook_state).toBe(state);
    },
  );

  test('a service key is polled and has no webhooks', async () => {
    const { atHubspot, PEOPLE, PIPELINE } = await import('../../support/connectors.ts');
    const { id: tenantId } = await createTenant(sql);
    const { token } = await atHubspot().createAccount({
      isServiceKey: true,
      users: PEOPLE,
      pipelines: [PIPELINE],
    });
    const accountId = await connectCrm(sql, tenantId, 'hubspot', { service_key: token });
    const account = await untilCrmIs(sql, accountId, 'active');
    expect(account.webhook_state).toBe('polling');
    expect(await refusalOf(sql`select admin.crm_webhook_setup(${accountId})`)).toContain('account_id');
    const unsigned = await fetch(callbackOf({ accountId, driver: hubspot }), { method: 'POST', body: '[]' });
    expect(unsigned.status).toBe(401);
  });
});

test.concurrent.each(drivers)('$crm: a second tenant cannot have the same account', async (driver) => {
  const first = await connectTo(sql, driver);
  await first.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true);
  const second = await createTenant(sql);
  // A refresh token of RD Station works once, so the second tenant has one of its own.
  const { refresh_token: _, ...credentials } = first.credentials;
  await first.there.forgetRequests();
  const accountId = await connectCrm(sql, second.id, driver.crm, credentials);
  if (driver.crm === 'rd_station') await agree(accountId);
  const failing = await untilCrmIs(sql, accountId, 'failing');
  expect(failing.reason).toMatch(/another workspace/i);
  const asked = (await first.there.requests()).map(({ path }) => path);
  expect(asked.filter((path) => /pipelines|stages|owners|activityTypes|webhooks/.test(path))).toEqual([]);
  for (const table of ['crm_users', 'crm_stages', 'crm_activity_types', 'crm_links', 'leads', 'deals'])
    expect(await sql`select from ${sql(table)} where tenant_id = ${second.id}`).toHaveLength(0);
  expect(await refusalOf(sql`select admin.import_crm(${accountId})`)).toContain(failing.reason);
  await untilSettled(sql, first);
  if (driver.crm !== 'rd_station')
    expect(await finishRun(sql, first, 'import')).toMatchObject({ status: 'done' });
});

test('an account that another tenant took meanwhile: connecting again fails, and says so', async () => {
  const first = await connectTo(sql, pipedrive);
  await sql`select admin.disconnect_crm(${first.accountId})`;
  await waitFor(
    async () =>
      (await sql`select from private.crm_secrets where account_id = ${first.accountId}`).length === 0,
  );
  const second = await createTenant(sql);
  const taken = await connectCrm(sql, second.id, 'pipedrive', first.credentials);
  await untilCrmIs(sql, taken, 'active');
  expect(await connectCrm(sql, first.id, 'pipedrive', first.credentials)).toBe(first.accountId);
  const failing = await untilCrmIs(sql, first.accountId, 'failing');
  expect(failing.reason).toMatch(/another workspace/i);
});

test('credentials of another company of the same tenant are refused', async () => {
  const first = await connectTo(sql, pipedrive);
  const other = await pipedrive.createAccount();
  await connectCrm(sql, first.id, 'pipedrive', other.credentials);
  const failing = await untilCrmIs(sql, first.accountId, 'failing');
  expect(failing.reason).toMatch(/another company/i);
});

test('RD Station: more pipelines than one run of the job can read; each is read once, whatever happens to webhooks', async () => {
  const tenant = await createTenant(sql);
  const pipelines = Array.from({ length: 16 }, (_, n) => ({
    name: `Funil ${n}`,
    stages: ['Novo', 'Proposta'],
  }));
  const account = await atRdStation().createAccount({
    users: PEOPLE,
    pipelines,
    options: { requestsPerMinute: 10_000 },
  });
  await atRdStation().fault({
    ...{ kind: 'error_before', status: 503, account: account.id },
    ...{ method: 'POST', path: '/crm/v2/webhooks' },
  });
  const { clientId, clientSecret, refreshToken } = account;
  const credentials = { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken };
  const accountId = await connectCrm(sql, tenant.id, 'rd_station', credentials);
  await untilCrmIs(sql, accountId, 'active');
  const stages = await sql`select name from admin.crm_stages where account_id = ${accountId}`;
  expect(stages).toHaveLength(32);
  const order = await sql`
    select array_agg(distinct pipeline_name order by pipeline_name) as names, count(distinct place)::integer as places, bool_and(is_present) as present
    from crm_stages where account_id = ${accountId}`;
  expect(order).toMatchObject([
    { names: pipelines.map(({ name }) => name).sort(), places: 32, present: true },
  ]);
  const asked = await atRdStation().requests({ account: account.id, path: '/crm/v2/pipelines/*/stages' });
  expect(asked).toHaveLength(16);
  const created = await atRdStation().requests({
    account: account.id,
    method: 'POST',
    path: '/crm/v2/webhooks',
  });
  // The one that got no answer.
  expect(created.map(({ status }) => status)).toContain(null);
});

test('the example, and the errors of admin functions', async () => {
  const acme = await connectTo(sql, pipedrive, { direction: 'both' });
  const { accountId } = acme;
  const unknown = `crm_${'0'.repeat(26)}`;
  const failures = await Promise.all(
    [
      sql`select admin.preview_crm(${unknown})`,
      sql`select admin.import_crm(${unknown})`,
      sql`select admin.reconcile_crm(${unknown})`,
      sql`select admin.compare_crm(${unknown})`,
      sql`select admin.pause_crm(${unknown})`,
      sql`select admin.resume_crm(${unknown})`,
      sql`select admin.disconnect_crm(${unknown})`,
      sql`select admin.forget_crm(${unknown})`,
      sql`select admin.authorize_crm(${unknown})`,
      sql`select admin.crm_webhook_setup(${unknown})`,
      sql`select admin.map_crm_stage(${unknown}, '1', null)`,
      sql`select admin.map_crm_activity(${unknown}, 'call', '001')`,
      sql`select admin.import_crm(null)`,
      sql`select admin.pause_crm(null)`,
    ].map(refusalOf),
  );
  expect(failures).toEqual(failures.map(() => 'account_id: no such CRM account'));
  const [theirs] =
    await sql`select crm_id from admin.crm_stages where account_id = ${accountId} and name = 'Proposta'`;
  const [ours] = await sql`select id from admin.stages where tenant_id = ${acme.id} and name = 'Proposal'`;
  await sql`select admin.map_crm_stage(${accountId}, ${theirs?.crm_id}, ${ours?.id})`;
  const stranger = await createTenant(sql);
  const [foreign] = await sql`select id from admin.stages where tenant_id = ${stranger.id} limit 1`;
  expect(
    await refusalOf(sql`select admin.map_crm_stage(${accountId}, ${theirs?.crm_id}, ${foreign?.id})`),
  ).toContain('stage_id');
  expect(await refusalOf(sql`select admin.map_crm_stage(${accountId}, 'none', ${ours?.id})`)).toContain(
    'crm_stage_id',
  );
  for (const code of ['000', '1', '1000', 'abc', ''])
    expect(await refusalOf(sql`select admin.map_crm_activity(${accountId}, 'call', ${code})`)).toContain(
      'code',
    );
  await sql`select admin.map_crm_activity(${accountId}, 'call', '001')`;
  await sql`select admin.map_crm_activity(${accountId}, 'call', null)`;
  expect(await refusalOf(sql`select admin.forget_crm(${accountId})`)).toContain('disconnect');
  expect(await refusalOf(sql`select admin.authorize_crm(${accountId})`)).toMatch(/credentials/);
  expect(await refusalOf(sql`select admin.cancel_crm_run('run_none')`)).toContain('run');
  expect(await refusalOf(sql`select admin.resolve_crm_difference('dif_none', 'ours')`)).toContain('id');
  expect(await refusalOf(sql`select admin.resolve_crm_difference('dif_none', 'both')`)).toContain('take');
  await sql`select admin.pause_crm(${accountId})`;
  await sql`select admin.pause_crm(${accountId})`;
  for (const kind of ['import', 'preview', 'reconcile', 'compare'])
    expect(await refusalOf(sql`select ${sql(`admin.${kind}_crm`)}(${accountId})`)).toContain('paused');
  await sql`select admin.resume_crm(${accountId})`;
  await untilCrmIs(sql, accountId, 'active');
  const runs =
    await sql`select admin.import_crm(${accountId}) as one, admin.import_crm(${accountId}) as other`;
  expect(runs[0]?.one).toBe(runs[0]?.other);
  expect(runs[0]?.one).toMatch(/^run_/);
  await sql`select admin.disconnect_crm(${accountId})`;
  await sql`select admin.disconnect_crm(${accountId})`;
  await sql`select admin.pause_crm(${accountId})`;
  expect((await sql`select status from admin.crm_accounts where id = ${accountId}`)[0]?.status).toBe(
    'disconnected',
  );
});

test.concurrent.each(drivers)('$crm: secrets are in no table, log or error', async (driver) => {
  const acme = await connectTo(sql, driver);
  const contact = only(
    await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true),
  );
  await finishRun(sql, acme, 'import');
  await acme.there.changeContact(contact, { name: 'Davi de Lima' });
  await acme.there.fault({ kind: 'error_before', status: 500, times: 1 });
  await waitFor(
    async () => (await sql`select from crm_events where account_id = ${acme.accountId}`).length > 0,
  );
  await untilSettled(sql, acme);
  const [vault] = await sql`
    select array_agg(s.decrypted_secret) as all from vault.decrypted_secrets s where s.name like ${`%${acme.accountId}`}`;
  const stored: string[] = vault?.all ?? [];
  const tokens = stored
    .flatMap((text) => (text.startsWith('{') ? Object.values(JSON.parse(text)) : [text]))
    .map(String);
  const { domain: _, client_id: __, ...given } = acme.credentials;
  const secrets = [...new Set([...tokens, ...Object.values(given)])].filter(
    (text) => text.length >= 30 && text !== acme.credentials.client_id && Number.isNaN(Date.parse(text)),
  );
  expect(secrets.length).toBeGreaterThanOrEqual(2);
  const tables = await sql`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'private', 'admin', 'cron', 'net', 'storage', 'auth')`;
  for (const { name } of tables) {
    const found = await sql`
      select from ${sql.unsafe(name)} t
      where exists (select from unnest(${secrets}::text[]) as s where strpos(t::text, s) > 0) limit 1`.catch(
      (error: Error) => {
        if (/permission denied/.test(error.message)) return [];
        throw error;
      },
    );
    expect([name, found.length]).toEqual([name, 0]);
  }
  const logs = readLogs();
  expect(logs).toContain(acme.accountId);
  expect(secrets.filter((secret) => logs.includes(secret))).toEqual([]);
});
