// People's accounts in Auth and keys of payment providers in Vault: both have ids of their project. They pass through memory only.

import { readOne } from './side.ts';
import type { Move } from './tables.ts';

/** How many users got an account that was copied, one that was known at the destination, or none because other tenants share theirs. */
export interface LinkedAccounts {
  copied: number;
  linked: number;
  missing: number;
}

export async function moveAccounts({ id, tenantId, from, to }: Move): Promise<LinkedAccounts> {
  const people = await readOne<string>(from.sql`select private.accounts_to_move(${tenantId})::text as value`);
  const rows = await to.sql<{ outcome: keyof LinkedAccounts; users: number }[]>`
    select outcome, count(*)::integer as users from private.link_accounts(${id}, ${people}::text::jsonb) group by outcome`;
  const found = { copied: 0, linked: 0, missing: 0 };
  for (const { outcome, users } of rows) found[outcome] = users;
  return found;
}

/** Returns the number of provider accounts. */
export async function moveProviderSecrets({ id, tenantId, from, to }: Move): Promise<number> {
  const secrets = await readOne<string>(
    from.sql`select private.provider_secrets_to_move(${tenantId})::text as value`,
  );
  return await readOne(
    to.sql`select private.store_provider_secrets(${id}, ${secrets}::text::jsonb) as value`,
  );
}

/** Writes the tenant's row at the destination, with a plan of the destination. */
export async function writeTenant({ id, tenantId, from, to }: Move, plan: string | undefined): Promise<void> {
  const tenant = await readOne<string>(
    from.sql`select to_jsonb(t)::text as value from public.tenants t where t.id = ${tenantId}`,
  );
  const withPlan = plan === undefined ? {} : { plan };
  await to.sql`
    select admin.move_in(${id}, ${tenant}::text::jsonb || ${JSON.stringify(withPlan)}::text::jsonb, ${from.functionsUrl})`;
}
