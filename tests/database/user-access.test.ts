// Access of users in what an admin does with SQL: exporting and erasing.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { createPerson } from '../support/persons.ts';
import { records } from '../support/records/records.ts';

const sql = connectDatabase();

test('an exported tenant has the access of its users and the single sign-on that it trusts', async () => {
  const { id } = await createTenant(sql);
  const [row] = await sql`
    insert into users (tenant_id, name, email, role) values (${id}, 'Marta', ${`${crypto.randomUUID()}@people.example`}, 'manager') returning id`;
  const provider = crypto.randomUUID();
  const [said] = await sql`select admin.trust_sso(slug, ${provider}) as said from tenants where id = ${id}`;
  expect(said?.said).toContain(provider);
  const [exported] = await sql`select admin.export_tenant(${id}::uuid) as data`;
  const data = typeof exported?.data === 'string' ? JSON.parse(exported.data) : exported?.data;
  expect(data.user_access).toEqual([
    { user_id: row?.id, scopes: expect.arrayContaining(['write:deals', 'request:payouts']) },
  ]);
  expect(data.trusted_sso).toEqual([provider]);
});

test('an erased person has no name in the trail, and no token', async () => {
  const { id } = await createTenant(sql);
  const olga = await createPerson(sql, id, { access: 'admin', name: 'Olga Prado' });
  const { status } = await records(olga.token, 'PATCH', '/admin/settings', { name: 'Acme' });
  expect(status).toBe(200);
  const named = () =>
    sql`select actor_name from admin_changes where tenant_id = ${id} and actor_id = ${olga.userId}`;
  expect(await named()).toEqual([{ actor_name: 'Olga Prado' }]);
  await sql`select admin.erase_person(${id}::uuid, ${olga.email})`;
  expect(await named()).toEqual([{ actor_name: null }]);
  expect((await records(olga.token, 'GET', '/standings')).status).toBe(401);
});
