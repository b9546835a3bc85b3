// Concurrent admin API requests about the same records: each gets a valid response, never an internal error.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import { createAdminTenant } from '../../../support/records/admin-examples.ts';
import { records } from '../../../support/records/records.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectDatabase();

type Tenant = Awaited<ReturnType<typeof createAdminTenant>>;
const call = (tenant: Tenant, method: string, path: string, body?: unknown) =>
  records(tenant.token, method, `/admin${path}`, body, { headers: { 'Idempotency-Key': randomUUID() } });

/** Sends a request during an uncommitted transaction, and commits once the request waits for it. */
async function duringTransaction(
  change: (tx: typeof sql) => PromiseLike<unknown>,
  request: () => ReturnType<typeof call>,
) {
  let response: ReturnType<typeof call> | undefined;
  await sql.begin(async (tx) => {
    const [me] = await tx`select pg_backend_pid() as pid`;
    await change(tx as unknown as typeof sql);
    response = request();
    await waitFor(
      async () =>
        (await sql`select from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`).length > 0,
    );
  });
  if (!response) throw new Error('The request was not sent.');
  return await response;
}

async function createStage(tenant: Tenant) {
  const body = { name: 'Demo', position: 40, probability: 10 };
  return (await call(tenant, 'POST', '/stages', body)).body.data;
}

async function createUser(tenant: Tenant) {
  const [user] = await sql`
    insert into users (tenant_id, name, email, role) values (${tenant.id}, 'Eva', ${`${randomUUID()}@acme.example`}, 'sales_rep')
    returning id, email`;
  return { id: String(user?.id), email: String(user?.email) };
}

test('a point rule for a stage that is being deleted is 422', async () => {
  const tenant = await createAdminTenant(sql);
  const { id } = await createStage(tenant);
  const { status, body } = await duringTransaction(
    (tx) => tx`delete from pipeline_stages where id = ${id}`,
    () => call(tenant, 'PUT', '/point-rules', { event: 'deal.stage_changed', points: 5, stage: id }),
  );
  expect([status, body.error.details[0].field]).toEqual([422, 'stage']);
});

test('a client for a user who is being removed is 422', async () => {
  const tenant = await createAdminTenant(sql);
  const user = await createUser(tenant);
  const { status, body } = await duringTransaction(
    (tx) => tx`delete from users where id = ${user.id}`,
    () => call(tenant, 'POST', '/clients', { label: 'App', scopes: ['read:leads'], user: user.email }),
  );
  expect([status, body.error.details[0].field]).toEqual([422, 'user']);
});

test.each(['PATCH', 'DELETE'])('%s of a record that is being deleted is 404', async (method) => {
  const tenant = await createAdminTenant(sql);
  const { id } = await createStage(tenant);
  const { status, body } = await duringTransaction(
    (tx) => tx`delete from pipeline_stages where id = ${id}`,
    () => call(tenant, method, `/stages/${id}`, method === 'PATCH' ? { probability: 20 } : undefined),
  );
  expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
});

test('deleting a mission that a player completes at the same moment is 409', async () => {
  const tenant = await createAdminTenant(sql);
  const mission = (await call(tenant, 'POST', '/missions', { name: 'Call', points: 1, codes: ['010'] })).body
    .data;
  const [collaborator] = await sql`
    insert into collaborators (tenant_id, external_id, name, email) values (${tenant.id}, 'c', 'Eva', 'eva@acme.example') returning id`;
  const { status, body } = await duringTransaction(
    (tx) => tx`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id, occurred_at)
      values (${tenant.id}, 'a', '010', ${String(collaborator?.id)}, now())`,
    () => call(tenant, 'DELETE', `/missions/${mission.id}`),
  );
  expect([status, body.error?.code]).toEqual([409, 'CONFLICT']);
});

test('opting out a removed user, or adjusting their points, is 422', async () => {
  const tenant = await createAdminTenant(sql);
  const user = await createUser(tenant);
  await call(tenant, 'POST', '/points/adjustments', { email: user.email, points: 5, reason: 'Welcome' });
  await sql`delete from users where id = ${user.id}`;
  for (const [path, body] of [
    ['/players/opt-out', { email: user.email, opted_out: true }],
    ['/points/adjustments', { email: user.email, points: 5, reason: 'Late' }],
  ] as const) {
    const reply = await call(tenant, 'POST', path, body);
    expect([path, reply.status, reply.body.error.details?.[0].message]).toEqual([
      path,
      422,
      'does not exist in this workspace; there are none',
    ]);
  }
});
