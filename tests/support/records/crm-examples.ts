// Calls every operation of CRM accounts in the admin API once, for the examples of the documents.
import type postgres from 'postgres';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
type Call = (operationId: string, method: string, path: string, body?: unknown) => Promise<any>;

/** An account at HubSpot with stages, a preview and a difference. It waits for a limit and imported nothing, so that its job changes nothing meanwhile. */
async function createAccount(sql: postgres.Sql, tenantId: string) {
  const [{ id } = {}] = await sql`
    insert into crm_accounts (tenant_id, crm, status, webhook_state, webhook_setup, imported_at, last_reconciled_at, last_compared_at, waiting_until)
    values (${tenantId}, 'hubspot', 'active', 'by_hand', '{"uid": "placar"}', null, now(), now(), now() + interval '1 hour') returning id`;
  await sql`
    insert into crm_stages (tenant_id, account_id, crm_id, name, pipeline, pipeline_name)
    values (${tenantId}, ${id}, 'presentationscheduled', 'Presentation', 'default', 'Sales')`;
  await sql`insert into crm_activity_types (tenant_id, account_id, crm_type) values (${tenantId}, ${id}, 'calls')`;
  const [{ id: run } = {}] = await sql`
    insert into crm_runs (tenant_id, account_id, kind, status, phase, read, created, started_at, finished_at)
    values (${tenantId}, ${id}, 'preview', 'done', 'done', 1, 1, now(), now()) returning id`;
  await sql`
    insert into crm_preview_rows (tenant_id, run_id, kind, action, crm_id, name, fields)
    values (${tenantId}, ${run}, 'lead', 'create', '501', 'Davi Lima', '{"name": [null, "Davi Lima"]}')`;
  const [{ id: lead } = {}] = await sql`
    insert into leads (tenant_id, name, email) values (${tenantId}, 'Davi L.', 'davi@example.com') returning id`;
  const [{ id: difference } = {}] = await sql`
    insert into crm_differences (tenant_id, account_id, kind, record, crm_id, placar_id, field, ours, theirs)
    values (${tenantId}, ${id}, 'changed_here', 'lead', '501', ${lead}, 'name', '"Davi L."', '"Davi Lima"') returning id`;
  return { account: `/crm-accounts/${id}`, run: `/crm-accounts/${id}/runs/${run}`, difference };
}

export async function showCrms(sql: postgres.Sql, tenantId: string, call: Call): Promise<void> {
  const { account, run, difference } = await createAccount(sql, tenantId);
  await call('listCrmAccounts', 'GET', '/crm-accounts');
  await call('getCrmAccount', 'GET', account);
  await call('updateCrmAccount', 'PATCH', account, { settings: { direction: 'both' } });
  await call('getCrmWebhookSetup', 'GET', `${account}/webhook-setup`);
  await call('getCrmStages', 'GET', `${account}/stages`);
  await call('getCrmActivityTypes', 'GET', `${account}/activity-types`);
  await call('listCrmRuns', 'GET', `${account}/runs`);
  await call('getCrmRun', 'GET', run);
  await call('listCrmPreview', 'GET', `${run}/preview?action=create`);
  await call('cancelCrmRun', 'POST', `${run}/cancel`);
  await call('listCrmDifferences', 'GET', `${account}/differences?resolved=false`);
  await call('getCrmDifference', 'GET', `${account}/differences/${difference}`);
  await call('mapCrmActivityTypes', 'PUT', `${account}/activity-types`, {
    activity_types: [{ crm_type: 'calls', code: '010' }],
  });
  await call('startCrmRun', 'POST', `${account}/runs`, { kind: 'import' });
  await call('mapCrmStages', 'PUT', `${account}/stages`, {
    stages: [{ crm_id: 'presentationscheduled', stage: 'Proposal' }],
  });
  await call('resolveCrmDifference', 'POST', `${account}/differences/${difference}/resolve`, {
    take: 'theirs',
  });
  await call('pauseCrmAccount', 'POST', `${account}/pause`);
  await call('resumeCrmAccount', 'POST', `${account}/resume`);
  await call('disconnectCrmAccount', 'POST', `${account}/disconnect`);
  await call('forgetCrmAccount', 'DELETE', account);
  await call('connectCrm', 'PUT', '/crm-accounts/pipedrive', {
    credentials: { domain: 'acme', api_token: crypto.randomUUID().replaceAll('-', '').padEnd(40, '0') },
    settings: { direction: 'in', pipelines: 'all' },
  });
  const [{ id: authorizing } = {}] = await sql`
    insert into crm_accounts (tenant_id, crm, status) values (${tenantId}, 'rd_station', 'authorizing') returning id`;
  await sql`insert into private.crm_secrets (account_id) values (${authorizing})`;
  await call('authorizeCrmAccount', 'POST', `/crm-accounts/${authorizing}/authorize`);
}
