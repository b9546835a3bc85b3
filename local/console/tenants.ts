// Whose data the console shows: the demo tenant, until somebody chooses another one.
import type postgres from 'postgres';
import type { Tenant } from './view.ts';

/** A stack of tests has thousands; whoever chose one that is not among these still sees it. */
const MAX_LISTED = 50;

export const TENANT_COOKIE = 'placar_console_tenant';

/** The chosen tenant and those to choose from, the demo tenant first and then the newest. */
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
  if (!tenant) throw new Error('There is no tenant in the local stack.');
  const demo = rows.filter(({ id }) => id === demoId);
  return { tenant, tenants: [...demo, ...rows.filter(({ id }) => id !== demoId)] };
}
