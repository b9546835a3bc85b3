// People of the demo tenant who can sign in, one for each access.
import type postgres from 'postgres';
import { hashPassword } from './emulators/auth/passwords.ts';
import { createUsers } from './emulators/auth/users.ts';

export interface DemoPerson {
  email: string;
  /** The first one. People can change theirs. */
  password: string;
  role: string;
  access: string;
}

const people = [
  { name: 'Ana Souza', email: 'ana@demo.example', role: 'sales_rep', access: 'seller' },
  { name: 'Marta Reis', email: 'marta@demo.example', role: 'manager', access: 'manager' },
  { name: 'Felipe Nunes', email: 'felipe@demo.example', role: 'viewer', access: 'finance' },
  { name: 'Olga Castro', email: 'olga@demo.example', role: 'admin', access: 'admin' },
  { name: 'Vera Pinto', email: 'vera@demo.example', role: 'viewer', access: 'seller' },
] as const;

/** Creates missing users and accounts, links them, and gives them their access. Changes nothing on later starts. */
export async function ensureDemoPeople(
  sql: postgres.Sql,
  tenantId: string,
  password: string,
): Promise<DemoPerson[]> {
  const existing = await sql<{ email: string }[]>`
    select u.email from public.users u join private.user_accounts a on a.tenant_id = u.tenant_id and a.user_id = u.id
     where u.tenant_id = ${tenantId}`;
  const missing = people.filter(({ email }) => !existing.some((one) => one.email === email));
  if (missing.length > 0) {
    const hashed = await hashPassword(password);
    await sql.begin(async (tx) => {
      for (const person of missing) await createPerson(tx, tenantId, person, hashed);
    });
  }
  return people.map(({ name: _, ...person }) => ({ ...person, password }));
}

async function createPerson(
  tx: postgres.TransactionSql,
  tenantId: string,
  { name, email, role, access }: (typeof people)[number],
  hashedPassword: string,
): Promise<void> {
  const users = createUsers(tx);
  const account = (await users.findByEmail(email)) ?? (await users.create(email));
  if (!account.encrypted_password) await users.update(account.id, { encrypted_password: hashedPassword });
  if (!account.email_confirmed_at) await users.confirm(account);
  await tx`
    insert into public.users (tenant_id, name, email, role) values (${tenantId}, ${name}, ${email}, ${role})
    on conflict do nothing`;
  await tx`
    insert into private.user_accounts (tenant_id, user_id, auth_user_id)
    select tenant_id, id, ${account.id} from public.users where tenant_id = ${tenantId} and email = ${email}
    on conflict do nothing`;
  if (access !== 'seller')
    await tx`select admin.set_user_access(${tenantId}::text, ${email}, ${access}::text)`;
}
