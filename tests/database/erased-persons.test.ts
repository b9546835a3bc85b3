// What erasing a person who signed in leaves behind.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { createPerson } from '../support/persons.ts';
import { records } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

test('no name in the audit trail, and no address in the request log', async () => {
  const { id: tenantId } = await createTenant(sql);
  const name = `Zuleica ${crypto.randomUUID()}`;
  const person = await createPerson(sql, tenantId, { role: 'manager', access: 'admin', name });
  expect((await records(person.token, 'PATCH', '/me', { standings_opt_out: true })).status).toBe(200);
  await waitFor(async () => (await sql`select from request_log where user_id = ${person.userId}`).length > 0);
  await sql`select admin.erase_person(${tenantId}, ${person.email})`;
  const named = await sql`
    select act, subject_kind from admin_changes c where tenant_id = ${tenantId} and strpos(c::text, ${name}) > 0`;
  expect([...named]).toEqual([]);
  const logged =
    await sql`select path, ip from request_log where user_id = ${person.userId} and ip is not null`;
  expect([...logged]).toEqual([]);
});
