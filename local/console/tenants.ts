// The tenant that the console shows: the demo tenant by default.
import type postgres from 'postgres';
import type { Tenant } from './view.ts';

/** Test stacks have thousands of tenants. A chosen tenant beyond this limit is still shown. */
const MAX_LISTED = 50;

export const TENANT_COOKIE = 'placar_console_tenant';

/** The chosen tenant, and the tenants to choose from: the demo tenant first, then the newest. */
export async function readTenants(
  sql: postgres.Sql,
  demoId: string,
  chosenId: string | undefined,
): Promise<{ tenant: Tenant; tenants: Tenant[] }> {
  const rows = await sql<Tenant[]>`
    select id, name, slug from public.tenants
    order by id::text = ${chosenId ?? demoId} desc, id = ${demoId} desc, created_at desc
    limit ${MAX_LISTED}`;
  const [tenant] = rows;
  if (!tenant) throw new Error('The local stack has no tenants.');
  const demo = rows.filter(({ id }) => id === demoId);
  return { tenant, tenants: [...demo, ...rows.filter(({ id }) => id !== demoId)] };
}
