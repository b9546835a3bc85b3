// The pages of CRMs: connecting, mapping, previewing, importing and resolving differences by forms, and how they look.
import { expect, test } from 'vitest';
import { faultsOfPages } from '../../support/clients/admin-pages.ts';
import { useBrowser } from '../../support/clients/browser.ts';
import { furnishCrm, type ServedCrm, serveWithCompany } from '../../support/clients/served-crm.ts';
import { untilCrmIs } from '../../support/connectors.ts';
import { connectDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

const pageOf = async ({ served }: ServedCrm, path: string) => (await served.get(path)).text();

const credentialsOf = ({ credentials }: ServedCrm) => ({
  'credentials.domain': credentials.domain,
  'credentials.api_token': credentials.api_token,
});

/** The rest of the form's fields as a browser sends them. */
const SETTINGS = {
  'settings.direction': 'both',
  'settings.conflict': 'latest',
  'settings.on_delete': 'keep',
  'settings.objects': 'leads',
  'settings.fields.0.record': 'lead',
  'settings.fields.0.ours': 'cpf',
  'settings.fields.0.theirs': 'a'.repeat(40),
  'settings.fields.1.record': 'deal',
  'settings.fields.1.ours': 'company',
  'settings.fields.1.theirs': 'b'.repeat(40),
};

test('connects by a form: settings as choices, fields as rows, and faults at their field', async () => {
  const crm = await serveWithCompany(sql);
  const { served, tenantId, credentials } = crm;
  const wrong = await served.submit('/crm/connect-pipedrive', {
    ...credentialsOf(crm),
    ...SETTINGS,
    'credentials.api_token': 'not-a-token',
  });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toMatch(
    /id="field-credentials.api_token-fault"[^<]*>.*is not in the format of this CRM/,
  );
  const made = await served.submit('/crm/connect-pipedrive', { ...credentialsOf(crm), ...SETTINGS });
  expect(made.status).toBe(303);
  const path = (made.headers.get('location') ?? '').split('?')[0] ?? '';
  const [account] = await sql`select * from crm_accounts where tenant_id = ${tenantId}`;
  expect([path, account?.settings]).toEqual([
    `/crm/${account?.id}`,
    {
      direction: 'both',
      conflict: 'latest',
      on_delete: 'keep',
      objects: ['leads'],
      create_out: false,
      fields: { lead: { 'custom_fields.cpf': 'a'.repeat(40) }, deal: { company: 'b'.repeat(40) } },
    },
  ]);
  expect(await pageOf(crm, path)).not.toContain(credentials.api_token);

  await untilCrmIs(sql, String(account?.id), 'active');
  const list = await pageOf(crm, '/crm');
  expect([list.includes('/crm/connect-pipedrive'), list.includes('/crm/connect-hubspot')]).toEqual([
    false,
    true,
  ]);
  expect(await pageOf(crm, path)).not.toContain(`${path}/reconcile`);
  // It works, and nothing differs.
  expect(await pageOf(crm, '/')).toContain('Nothing waits for you');
  const settings = await pageOf(crm, `${path}/settings`);
  expect(settings).toMatch(/<option value="latest" selected/);
  expect(settings).toContain('value="cpf"');
  const changed = await served.submit(`${path}/settings`, { ...SETTINGS, 'settings.direction': 'in' });
  expect(changed.status).toBe(303);
  const [after] = await sql`select settings from crm_accounts where tenant_id = ${tenantId}`;
  expect(after?.settings).toMatchObject({ direction: 'in', pipelines: 'all' });
  const replaced = await served.submit(`${path}/reconnect-pipedrive`, credentialsOf(crm));
  expect(replaced.status).toBe(303);
  expect((await sql`select settings from crm_accounts where tenant_id = ${tenantId}`)[0]).toEqual(after);

  const trail = async () =>
    (await sql`select count(*)::integer from admin.changes where tenant_id = ${tenantId}`)[0]?.count;
  const before = await trail();
  expect((await served.submit(`${path}/settings`, { ...SETTINGS, 'settings.direction': 'in' })).status).toBe(
    303,
  );
  expect(await trail()).toBe(before);
});

test('maps stages and activities, previews, imports, and takes a side', async () => {
  const crm = await serveWithCompany(sql);
  const { served, tenantId } = crm;
  const { path, accountId } = await furnishCrm(sql, crm);
  const [stage] =
    await sql`select crm_id from crm_stages where account_id = ${accountId} and name = 'Proposta'`;
  const [ours] =
    await sql`insert into pipeline_stages (tenant_id, name, position, probability) values (${tenantId}, 'Prova', 9, 5) returning id`;
  const others =
    await sql`select crm_id from crm_stages where account_id = ${accountId} and name <> 'Proposta'`;
  const mapped = await served.submit(`${path}/stages`, {
    ...Object.fromEntries(others.map(({ crm_id: id }) => [`stages.${id}`, ''])),
    [`stages.${stage?.crm_id}`]: ours?.id,
  });
  expect(mapped.status).toBe(303);
  expect(await pageOf(crm, path)).toMatch(/Prova/);
  const stages =
    await sql`select name, stage_id from crm_stages where account_id = ${accountId} and stage_id is not null`;
  expect(stages).toEqual([{ name: 'Proposta', stage_id: ours?.id }]);
  const typed = await served.submit(`${path}/activities`, {
    'activity_types.call': '001',
    'others.0.crm_type': 'demo',
    'others.0.code': '002',
  });
  expect(typed.status).toBe(303);
  const types = sql`
    select crm_type, code from crm_activity_types where account_id = ${accountId} and code is not null order by 1`;
  expect(await types).toEqual([
    { crm_type: 'call', code: '001' },
    { crm_type: 'demo', code: '002' },
  ]);

  const csrf = /name="_csrf" value="([^"]+)"/.exec(await pageOf(crm, path))?.[1] ?? '';
  const preview = await served.post(`${path}/preview`, { _csrf: csrf, _key: crypto.randomUUID() });
  const previewPath = (preview.headers.get('location') ?? '').split('?')[0] ?? '';
  expect(previewPath).toMatch(/\/runs\/run_\w+\/preview$/);
  await waitFor(
    async () =>
      (await sql`select from crm_runs where account_id = ${accountId} and finished_at is null`).length === 0,
  );
  expect(await pageOf(crm, `${previewPath}?action=skip`)).toContain('Sem Email');
  expect(await pageOf(crm, `${previewPath}?action=skip`)).not.toContain('Davi');

  const [difference] = await waitFor(async () => {
    const rows =
      await sql`select id from crm_differences where account_id = ${accountId} and kind = 'changed_here' and resolved_at is null`;
    return rows.length > 0 && rows;
  });
  expect(await pageOf(crm, `${path}/differences?resolved=false`)).toContain(
    `action="${path}/differences/${difference?.id}/take-theirs"`,
  );
  expect(await pageOf(crm, '/')).toMatch(/Pipedrive: \d+ open differences?/);
  const [missing] =
    await sql`select id from crm_differences where account_id = ${accountId} and kind = 'missing_email' and record = 'lead'`;
  const explained = await pageOf(crm, `${path}/differences/${missing?.id}`);
  expect(explained).toContain('Enter an email address in the CRM');
  expect(explained).toContain('Sem Email');
  const taken = await served.post(`${path}/differences/${difference?.id}/take-theirs`, { _csrf: csrf });
  expect([taken.status, taken.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/\/differences\?resolved=false&done=/),
  ]);
  await waitFor(
    async () => (await sql`select from leads where tenant_id = ${tenantId} and name = 'Davi Lima'`)[0],
  );
});

test('pauses, resumes, disconnects and forgets', async () => {
  const crm = await serveWithCompany(sql);
  const { served, tenantId } = crm;
  const made = await served.submit('/crm/connect-pipedrive', { ...credentialsOf(crm), ...SETTINGS });
  const path = (made.headers.get('location') ?? '').split('?')[0] ?? '';
  const csrf = /name="_csrf" value="([^"]+)"/.exec(await pageOf(crm, path))?.[1] ?? '';
  const statusAfter = async (act: string) => {
    const { status } = await served.post(`${path}/${act}`, { _csrf: csrf });
    expect([act, status]).toEqual([act, 303]);
    return (await sql`select status from admin.crm_accounts where tenant_id = ${tenantId}`)[0]?.status;
  };
  await untilCrmIs(sql, path.slice('/crm/'.length), 'active');
  expect(await statusAfter('pause')).toBe('paused');
  expect(await pageOf(crm, path)).toContain('kept for 30 days');
  expect(['connecting', 'active']).toContain(await statusAfter('resume'));
  const settings = async () =>
    (await sql`select settings from crm_accounts where tenant_id = ${tenantId}`)[0];
  const kept = await settings();
  expect(await statusAfter('disconnect')).toBe('disconnected');
  expect(await pageOf(crm, '/crm')).not.toContain('/crm/connect-pipedrive');
  expect(await pageOf(crm, path)).toContain(`${path}/connect-again-pipedrive`);
  // As people paste it.
  const address = `https://${crm.credentials.domain}.pipedrive.com/`;
  const again = { ...credentialsOf(crm), 'credentials.domain': address };
  expect((await served.submit(`${path}/connect-again-pipedrive`, again)).status).toBe(303);
  await untilCrmIs(sql, path.slice('/crm/'.length), 'active');
  expect(await settings()).toEqual(kept);
  expect(await statusAfter('disconnect')).toBe('disconnected');
  expect(await statusAfter('forget')).toBeUndefined();
  expect((await served.get(path)).status).toBe(404);
});

test('all pages, wide and narrow, light and dark, in both languages, and by keyboard', async () => {
  const crm = await serveWithCompany(sql);
  const { path, preview, accountId } = await furnishCrm(sql, crm);
  const [run] = await sql`select id from crm_runs where account_id = ${accountId} and kind = 'import'`;
  const paths = [
    ...['/crm', '/crm/connect-pipedrive', '/crm/connect-hubspot', '/crm/connect-rd-station', path, preview],
    ...['/settings', '/stages', '/activities', '/import', '/disconnect', '/differences'].map(
      (one) => path + one,
    ),
    `${path}/runs/${run?.id}`,
  ];
  expect(await faultsOfPages(crm.served, 'light', paths)).toEqual([]);
  expect(await faultsOfPages(crm.served, 'dark', paths, { part: 'main' })).toEqual([]);
});
