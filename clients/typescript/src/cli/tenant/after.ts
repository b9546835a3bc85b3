// Steps after the switch: points provider accounts to the new address, and lists the manual steps.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../output.ts';
import { readOne, type Side } from './side.ts';

interface Switched {
  id: string;
  tenantId: string;
  from: Side;
  to: Side;
  out: Output;
}

export interface OpenAccount {
  id: string;
  provider: string;
  problem: string;
}

const POINTED_WITHIN_MS = 15_000;
const PAUSE_MS = 500;

/** Safe to repeat. Problems are reported and do not undo the move. */
export async function finishSwitch({ id, tenantId, from, to, out }: Switched): Promise<void> {
  await dropTriggers(id, to);
  await repointProviderWebhooks(tenantId, to);
  for (const { provider, id: account, problem } of await waitForAccounts(tenantId, to)) {
    out.warn(`The account ${account} at ${provider} is not ready: ${problem}`);
  }
  for (const task of await tasksForPeople(tenantId, from, to)) out.note(`To do: ${task}`);
}

/**
 * Copies transfers and refunds that Asaas asked one side to approve while the tenant could not write. The other side must know them before
 * it opens, because it would approve others for the same orders.
 */
export async function copyApprovals(id: string, from: Side, to: Side): Promise<void> {
  const approvals = await readOne<string>(from.sql`
    select coalesce(jsonb_agg(to_jsonb(a)), '[]')::text as value from private.approvals_while_moving a where a.move_id = ${id}`);
  await to.sql`select private.receive_approvals(${id}, ${approvals}::text::jsonb)`;
}

/** Drops triggers on tables that were locked earlier. These triggers now allow all writes, so a failure does no harm. */
export const dropTriggers = async (id: string, { sql }: Side): Promise<void> => {
  await sql`select private.open_tables(${id})`.catch(() => {});
};

/**
 * Schedules jobs that point the webhooks to this side and reconcile each account. The database calls the sweep if that is configured
 * (admin.call_sweep_from_database).
 */
export async function repointProviderWebhooks(tenantId: string, { sql }: Side): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      select private.check_provider_soon(a) from public.provider_accounts a where a.tenant_id = ${tenantId} and a.status <> 'disconnected'`;
    await tx`
      select admin.reconcile_provider(a.id) from public.provider_accounts a where a.tenant_id = ${tenantId} and a.status = 'active'`;
    await tx`select private.call_sweep()`;
  });
}

async function waitForAccounts(tenantId: string, side: Side): Promise<OpenAccount[]> {
  const givesUpAt = performance.now() + POINTED_WITHIN_MS;
  for (;;) {
    const open = await openAccounts(tenantId, side);
    if (open.length === 0 || performance.now() > givesUpAt) return open;
    await sleep(PAUSE_MS);
  }
}

/** Accounts that are failing, or whose webhook does not point to this side. */
export async function openAccounts(tenantId: string, { sql, functionsUrl }: Side): Promise<OpenAccount[]> {
  const rows = await sql`
    select id, provider, status, reason, webhook_state, coalesce(starts_with(callback_url, ${`${functionsUrl}/`}), false) as pointed
    from public.provider_accounts where tenant_id = ${tenantId} and status <> 'disconnected' order by id`;
  return rows.flatMap(({ id, provider, status, reason, webhook_state: state, pointed }) => {
    if (status === 'active' && pointed && state === 'active') return [];
    const problem =
      status === 'failing'
        ? reason
        : pointed
          ? `it is ${status}, its webhook ${state}`
          : 'its webhook does not point to the new address yet';
    return [{ id, provider, problem }];
  });
}

async function tasksForPeople(tenantId: string, from: Side, to: Side): Promise<string[]> {
  const accounts = await to.sql`
    select id from public.provider_accounts where tenant_id = ${tenantId} and provider = 'asaas' and status <> 'disconnected'`;
  const withdrawals = accounts.map(
    ({ id }) =>
      `set the URL of the withdrawal validation in Asaas to ${to.functionsUrl}/callbacks/providers/asaas/${id}/approvals. Until then, the source forwards its requests.`,
  );
  const [invited] = await to.sql`
    select count(*)::integer as pending from public.invitations where tenant_id = ${tenantId} and status = 'pending' and expires_at > now()`;
  const invitations =
    invited?.pending > 0
      ? [
          `resend ${invited?.pending} pending invitations, because links that Auth sent lead to the source's Auth.`,
        ]
      : [];
  return [
    ...withdrawals,
    ...invitations,
    `allow the addresses of the new project wherever receivers or providers have an allowlist.`,
    `tell callers to use ${to.functionsUrl} instead of ${from.functionsUrl}. Keys, client secrets and webhook secrets stay; access tokens have to be requested again.`,
  ];
}
