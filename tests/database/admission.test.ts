// Which clients are admitted is kept by triggers: it always equals what it is derived from, also after changes at the same time.
import type postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';

const sql = connectDatabase();

type Connection = postgres.Sql | postgres.ReservedSql;
interface World {
  tenantId: string;
  /** The first one is that of the tenant in the beginning. */
  plans: [string, string];
  /** Client ids. Changes concern the first one. */
  clients: string[];
  moveId: string;
}

/** A tenant with plans of its own, two clients, and a move that has not begun. */
async function createWorld(): Promise<World> {
  const { id: tenantId } = await createTenant(sql);
  const plans: World['plans'] = [`plan-1-${crypto.randomUUID()}`, `plan-2-${crypto.randomUUID()}`];
  for (const name of plans) await sql`insert into plans (name, requests_per_minute) values (${name}, 100)`;
  await sql`update tenants set plan = ${plans[0]} where id = ${tenantId}`;
  onTestFinished(async () => {
    await sql`delete from private.tenant_moves where tenant_id = ${tenantId}`;
    await sql`update tenants set plan = 'starter' where id = ${tenantId}`;
    await sql`delete from plans where name = any (${plans})`;
  });
  const moveId = crypto.randomUUID();
  await sql`
    insert into private.tenant_moves (id, tenant_id, slug, direction, state, moved_to)
    values (${moveId}, ${tenantId}, 'moving', 'out', 'rolled_back', 'https://elsewhere.example')`;
  const world = { tenantId, plans, clients: [], moveId };
  for (const _ of [1, 2]) await changes.createClient(sql, world);
  return world;
}

const pick = <T>(all: readonly T[]): T => {
  const one = all[Math.floor(Math.random() * all.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
};
const anyLimit = () => 1 + Math.floor(Math.random() * 10_000);

const changes = {
  async createClient(on: Connection, { tenantId, clients }: World) {
    const [row] =
      await on`select client_id from admin.create_oauth_client(${tenantId}, 'CRM', '{read:leads}')`;
    clients.push(row?.client_id);
  },
  revokeClient: (on: Connection, { clients }: World) =>
    on`update oauth_clients set revoked_at = now() where client_id = ${clients[0] ?? ''}`,
  restoreClient: (on: Connection, { clients }: World) =>
    on`update oauth_clients set revoked_at = null where client_id = any (${clients})`,
  changeScopes: (on: Connection, { clients }: World) =>
    on`update oauth_clients set scopes = ${[pick(['read:leads', 'write:leads', 'admin'])]} where client_id = ${clients[0] ?? ''}`,
  deleteClient: (on: Connection, { clients }: World) =>
    on`delete from oauth_clients where client_id = ${clients[0] ?? ''}`,
  revokeToken: (on: Connection, { clients }: World) =>
    on`select app.revoke_token(${clients[0] ?? ''}, ${crypto.randomUUID()}, now() + random() * interval '1 hour')`,
  changePlan: (on: Connection, { tenantId, plans }: World) =>
    on`update tenants set plan = ${plans[1]} where id = ${tenantId}`,
  changeLimit: (on: Connection, { plans }: World) =>
    on`update plans set requests_per_minute = ${anyLimit()} where name = ${plans[0]}`,
  changeOtherLimit: (on: Connection, { plans }: World) =>
    on`update plans set requests_per_minute = ${anyLimit()} where name = ${plans[1]}`,
  close: (on: Connection, { moveId }: World) =>
    on`update private.tenant_moves set closed = true where id = ${moveId}`,
  open: (on: Connection, { moveId }: World) =>
    on`update private.tenant_moves set closed = false where id = ${moveId}`,
  entomb: (on: Connection, { moveId, clients }: World) =>
    on`insert into private.moved_callers (kind, name, move_id) values ('oauth_client', ${clients[0] ?? ''}, ${moveId})
       on conflict do nothing`,
  exhume: (on: Connection, { moveId }: World) =>
    on`delete from private.moved_callers where move_id = ${moveId}`,
} satisfies Record<string, (on: Connection, world: World) => Promise<unknown>>;
const names = Object.keys(changes) as (keyof typeof changes)[];

/** Rows that only the table or only the view has. */
const differences = ({ tenantId }: World) => sql`
  select * from (
    (table private.admitted_clients except table private.clients_to_admit)
    union all
    (table private.clients_to_admit except table private.admitted_clients)
  ) as different
  where tenant_id = ${tenantId}`;

test('after random changes', async () => {
  const world = await createWorld();
  const made: string[] = [];
  for (let i = 0; i < 150; i++) {
    const name = pick(names);
    made.push(name);
    for (const all of [world.clients, world.plans]) all.sort(() => Math.random() - 0.5);
    await changes[name](sql, world);
    expect([await differences(world), made.slice(-5)]).toEqual([[], made.slice(-5)]);
  }
});

test.each(names)('after %s and each other change at the same time', async (first) => {
  const [one, two] = [await sql.reserve(), await sql.reserve()];
  try {
    for (const second of names) {
      const world = await createWorld();
      await one`begin`;
      await changes[first](one, world);
      await two`begin`;
      // Waits for the first one where the two conflict.
      const changing = changes[second](two, world).then(() => two`commit`);
      await Promise.race([changing, sql`select`]);
      await one`commit`;
      await changing;
      expect([second, await differences(world)]).toEqual([second, []]);
    }
  } finally {
    await Promise.all([one`rollback`, two`rollback`]);
    one.release();
    two.release();
  }
});

test('a client is admitted until it, its token or its tenant is not', async () => {
  const world = await createWorld();
  const [client = ''] = world.clients;
  const token = crypto.randomUUID();
  const admit = async (used = 0) => {
    const [row] = await sql`
      select app.admit_client(${world.tenantId}, ${client}, ${token}, ${used}, '{read:leads,admin}', '{read:leads}') as allowed`;
    return row?.allowed;
  };
  expect(await admit()).toBe(100);
  await expect(admit(101)).rejects.toMatchObject({ code: 'PL430', detail: '100' });
  await changes.close(sql, world);
  await expect(admit()).rejects.toMatchObject({ code: 'PL503' });
  await changes.open(sql, world);
  await sql`update oauth_clients set scopes = '{write:leads}' where client_id = ${client}`;
  await expect(admit()).rejects.toMatchObject({ code: 'PL433' });
  await sql`update oauth_clients set scopes = '{admin}' where client_id = ${client}`;
  expect(await admit()).toBe(100);
  await sql`select app.revoke_token(${client}, ${crypto.randomUUID()}, now() + interval '1 hour')`;
  expect(await admit()).toBe(100);
  await sql`select app.revoke_token(${client}, ${token}, now() + interval '1 hour')`;
  await expect(admit()).rejects.toMatchObject({ code: 'PL401', detail: '100' });
});
