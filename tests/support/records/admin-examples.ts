// Calls every operation of the admin API once, for the examples of the documents.
import type postgres from 'postgres';
import { inject } from 'vitest';
import type { NamingVariant } from '../../../shared/platform/access/context.ts';
import { createTenant } from '../database.ts';
import { activity, collaborator, type Reply, sync, syncCollaborators } from '../gamification/sync.ts';
import { createOAuthClient, grant, requestToken } from '../oauth.ts';
import { pay, pixPayout } from '../payments/payments.ts';
import { waitFor } from '../wait-for.ts';
import { showCrms } from './crm-examples.ts';
import { records } from './records.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
type Add = (operationId: string, request: unknown, reply: Reply) => any;

export const ADMIN_SCOPES = [
  'admin',
  'read:payments',
  'manage:payments',
  'approve:payouts',
  'request:payouts',
  'manage:access',
  'manage:persons',
];

const PLANS = ['starter', 'professional', 'enterprise'];

/** A tenant whose client may do everything below /v1/admin. */
export async function createAdminTenant(sql: postgres.Sql, scopes: readonly string[] = ADMIN_SCOPES) {
  const tenant = await createTenant(sql, { scopes: ['default:sync', 'payments:read', 'payments:write'] });
  await sql`select admin.set_plan(${tenant.id}::uuid, 'enterprise')`;
  const client = await createOAuthClient(sql, tenant.id, { scopes: [...scopes] });
  const { body } = await requestToken(grant(client));
  return { ...tenant, client, token: String(body.access_token) };
}

export async function showAdmin(sql: postgres.Sql, variant: NamingVariant, add: Add): Promise<void> {
  const tenant = await createAdminTenant(sql);
  await syncCollaborators(tenant.apiKey, [collaborator('ana')]);
  await sync(tenant.apiKey, {
    action: 'sync_activities',
    activities: [activity('call-1', 'ana@example.com')],
  });
  await sql`insert into users (tenant_id, name, email) values (${tenant.id}, 'Ana Souza', 'ana@example.com')`;
  const call = async (operationId: string, method: string, path: string, body?: unknown) => {
    const headers = {
      'X-Api-Variant': variant,
      ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
    };
    const name = `admin${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
    const reply = await records(tenant.token, method, `/admin${path}`, body, { headers });
    // Other tests have plans of their own.
    if (path === '/plans')
      reply.body.data = reply.body.data.filter((plan: { name: string }) => PLANS.includes(plan.name));
    return add(name, body, reply);
  };
  /** All operations of a resource. */
  const resource = async (path: string, [one, many]: [string, string], created: object, change: object) => {
    const { data } = await call(`create${one}`, 'POST', path, created);
    await call(`list${many}`, 'GET', `${path}?sort=name`);
    await call(`get${one}`, 'GET', `${path}/${data.id}`);
    await call(`update${one}`, 'PATCH', `${path}/${data.id}`, change);
    return async () => await call(`delete${one}`, 'DELETE', `${path}/${data.id}`);
  };

  await call('listUserAccess', 'GET', '/users?search=ana');
  await call('getUserAccess', 'GET', '/users/ana@example.com/access');
  await call('setUserAccess', 'PUT', '/users/ana@example.com/access', { preset: 'manager' });
  const deleteMission = await resource(
    '/missions',
    ['Mission', 'Missions'],
    { name: 'Demo given', points: 50, codes: ['010'] },
    { points: 60 },
  );
  const code = '/activity-codes/011';
  await call('mapActivityCode', 'PUT', code, { mission: 'demo given' });
  await call('listActivityCodes', 'GET', '/activity-codes?sort=name');
  await call('getActivityCode', 'GET', code);
  await call('unmapActivityCode', 'DELETE', code);
  await deleteMission();
  await (
    await resource('/tiers', ['Tier', 'Tiers'], { name: 'Gold', min_points: 1000 }, { name: 'Gold plus' })
  )();
  await (
    await resource(
      '/badges',
      ['Badge', 'Badges'],
      { name: 'Closer', metric: 'deals_won', threshold: 10 },
      { threshold: 20 },
    )
  )();
  const march = { starts_at: '2027-03-01', ends_at: '2027-04-01' };
  await (
    await resource(
      '/challenges',
      ['Challenge', 'Challenges'],
      { name: 'Demo month', metric: 'missions_completed', target: 20, reward_points: 200, ...march },
      { target: 25 },
    )
  )();
  await (
    await resource('/seasons', ['Season', 'Seasons'], { name: 'March', ...march }, { ends_at: '2027-04-02' })
  )();
  await (
    await resource(
      '/stages',
      ['Stage', 'Stages'],
      { name: 'Trial', position: 3, probability: 60 },
      { probability: 70 },
    )
  )();
  const rule = await call('setPointRule', 'PUT', '/point-rules', {
    event: 'deal.won',
    points: 100,
    max_per_day: 5,
  });
  await call('listPointRules', 'GET', '/point-rules');
  await call('getPointRule', 'GET', `/point-rules/${rule.data.id}`);
  await call('deletePointRule', 'DELETE', `/point-rules/${rule.data.id}`);
  const deleteAutomation = await resource(
    '/automations',
    ['Automation', 'Automations'],
    {
      name: 'Reward large deals',
      event: 'deal.won',
      conditions: [{ field: 'value', op: 'gt', value: 5000 }],
      actions: [{ type: 'award_points', points: 10 }],
    },
    { active: false },
  );
  await call('listAutomationRuns', 'GET', '/automations/reward%20large%20deals/runs');
  await deleteAutomation();

  const { data: players } = await call('listPlayers', 'GET', '/players');
  await call('setOptOut', 'POST', '/players/opt-out', { email: 'ana@example.com', opted_out: true });
  await call('adjustPoints', 'POST', '/points/adjustments', {
    email: 'ana@example.com',
    points: 10,
    reason: 'Helped a new colleague',
  });
  await call('listPlayerPoints', 'GET', `/players/${players[0].user_id}/points`);
  await call('listSentActivities', 'GET', '/activities');
  await call('voidActivity', 'POST', '/activities/void', { external_id: 'call-1', reason: 'Sent twice' });

  await call('updateSettings', 'PATCH', '/settings', { name: 'Acme', owner_email: 'owner@example.com' });
  const board = await call('createBoard', 'POST', '/boards', { name: 'Sales floor', period: 'week' });
  await call('listBoards', 'GET', '/boards');
  await call('getBoard', 'GET', `/boards/${board.data.id}`);
  add('readBoard', undefined, await records(board.data.token, 'GET', '/board'));
  await call('deleteBoard', 'DELETE', `/boards/${board.data.id}`);
  await call('getSettings', 'GET', '/settings');
  await call('getPlan', 'GET', '/plan');
  await call('listPlans', 'GET', '/plans');
  const requests = await call('listRequests', 'GET', '/requests?path=/v1/admin/missions&method=POST&limit=1');
  await call('getRequest', 'GET', `/requests/${requests.data[0].request_id}`);
  const changes = await call('listChanges', 'GET', '/changes?act=mission.created&limit=1');
  await call('getChange', 'GET', `/changes/${changes.data[0].id}`);

  await showAccess(call);
  await showPayments(sql, tenant, call);
  await showPaymentWebhooks(sql, tenant.id, call);
  await showCrms(sql, tenant.id, call);
  // Nobody has this address, so that the counts are the same each time.
  await call('exportPerson', 'POST', '/persons/export', { email: 'carla@example.com' });
  await call('erasePerson', 'POST', '/persons/erase', {
    email: 'carla@example.com',
    confirm: 'carla@example.com',
  });
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
type Call = (operationId: string, method: string, path: string, body?: unknown) => Promise<any>;

async function showAccess(call: Call): Promise<void> {
  const { data: key } = await call('createApiKey', 'POST', '/api-keys', {
    label: 'Data warehouse',
    scopes: ['payments:read'],
    ip_allowlist: ['203.0.113.0/24'],
    expires_at: '2027-06-30',
  });
  await call('listApiKeys', 'GET', '/api-keys?search=warehouse');
  await call('getApiKey', 'GET', `/api-keys/${key.id}`);
  await call('updateApiKey', 'PATCH', `/api-keys/${key.id}`, { requests_per_hour: 5000 });
  await call('rotateApiKey', 'POST', `/api-keys/${key.id}/rotate`);
  await call('revokeApiKey', 'DELETE', `/api-keys/${key.id}`);
  const { data: client } = await call('createClient', 'POST', '/clients', {
    label: 'CRM',
    scopes: ['read:leads', 'write:leads'],
    user: 'ana@example.com',
  });
  await call('listClients', 'GET', '/clients?search=crm');
  await call('getClient', 'GET', `/clients/${client.client_id}`);
  await call('updateClient', 'PATCH', `/clients/${client.client_id}`, { scopes: ['read:leads'] });
  await call('rotateClientSecret', 'POST', `/clients/${client.client_id}/rotate-secret`);
  await call('revokeClient', 'DELETE', `/clients/${client.client_id}`);
}

async function showPayments(
  sql: postgres.Sql,
  tenant: { id: string; apiKey: string },
  call: Call,
): Promise<void> {
  // Without a job, so that nothing changes the account meanwhile.
  const [{ id } = {}] = await sql`
    insert into provider_accounts (tenant_id, provider, status) values (${tenant.id}, 'asaas', 'active') returning id`;
  await sql`insert into private.provider_secrets (account_id) values (${id})`;
  const account = `/provider-accounts/${id}`;
  await call('listProviderAccounts', 'GET', '/provider-accounts');
  await call('getProviderAccount', 'GET', account);
  await sql`
    insert into provider_differences (tenant_id, account_id, kind, subject, theirs)
    values (${tenant.id}, ${id}, 'unknown_order', 'pay_123', '{"amount": 1250}')`;
  await call('listProviderDifferences', 'GET', '/provider-differences?resolved=false');
  await call('createWithdrawalToken', 'POST', `${account}/withdrawal-token`);
  await call('connectProvider', 'PUT', '/provider-accounts/stripe', {
    api_key: `sk_test_${crypto.randomUUID().replaceAll('-', '')}`,
  });
  await call('reconcileProvider', 'POST', `${account}/reconcile`);
  await call('disconnectProvider', 'DELETE', account);
  await call('setProviderRoute', 'PUT', '/provider-routes', {
    kind: 'payout',
    region: 'br',
    currency: 'BRL',
    providers: ['sandbox'],
  });
  await call('listProviderRoutes', 'GET', '/provider-routes');
  await call('setApprovalRule', 'PUT', '/payout-approval-rules', { above_amount: 0 });
  await call('listApprovalRules', 'GET', '/payout-approval-rules');
  const [first, second] = [
    await pay(tenant.apiKey, '/payouts', pixPayout()),
    await pay(tenant.apiKey, '/payouts', pixPayout()),
  ];
  await call('listAdminPayouts', 'GET', '/payouts?waiting=approval&per_page=1');
  await call('getAdminPayout', 'GET', `/payouts/${first.body.id}`);
  await call('approvePayout', 'POST', `/payouts/${first.body.id}/approve`);
  await call('rejectPayout', 'POST', `/payouts/${second.body.id}/reject`, { reason: 'Ordered twice' });
  await call('setCostCenter', 'PUT', '/cost-centers/sales', { name: 'Sales', is_default: true });
  await call('listCostCenters', 'GET', '/cost-centers');
  await call('adjustBalance', 'POST', '/balance-adjustments', {
    amount: 1250,
    currency: 'BRL',
    reason: 'Correction of March',
  });
}

async function showPaymentWebhooks(sql: postgres.Sql, tenantId: string, call: Call): Promise<void> {
  const url = `${inject('stack').inbox_url}/records/${crypto.randomUUID()}`;
  const { data: made } = await call('createPaymentWebhook', 'POST', '/payment-webhooks', {
    url,
    events: ['payout.canceled'],
  });
  const path = `/payment-webhooks/${made.id}`;
  const { data: sent } = await call('testPaymentWebhook', 'POST', `${path}/test`);
  await waitFor(async () => {
    const pending =
      await sql`select from webhook_deliveries where tenant_id = ${tenantId} and status = 'pending'`;
    return pending.length === 0;
  });
  await call('listPaymentWebhooks', 'GET', '/payment-webhooks');
  await call('getPaymentWebhook', 'GET', path);
  await call('listPaymentWebhookKeys', 'GET', `${path}/keys`);
  await call('listPaymentDeliveries', 'GET', `${path}/deliveries`);
  await call('getPaymentDelivery', 'GET', `${path}/deliveries/${sent.delivery_id}`);
  await call('replayPaymentDelivery', 'POST', `${path}/deliveries/${sent.delivery_id}/replay`);
  const { data: replay } = await call('replayPaymentWebhook', 'POST', `${path}/replay`, { failed: true });
  await call('getPaymentReplay', 'GET', `${path}/replays/${replay.id}`);
  await call('pausePaymentWebhook', 'POST', `${path}/pause`);
  await call('resumePaymentWebhook', 'POST', `${path}/resume`);
  await call('rotatePaymentWebhookSecret', 'POST', `${path}/rotate-secret`);
  await call('updatePaymentWebhook', 'PATCH', path, { description: 'Bookkeeping' });
  await call('deletePaymentWebhook', 'DELETE', path);
}
